/* Legality and scoring of placements for arrays of territories: what the files share.

   Theory of operation. `load` (module.c) copies the tables that `skye_core.tables` derives from a ruleset. `answer`
   (batch.c) takes a pool of territories and queries; a query is a territory, a tile in hand, the territories of the
   rivals and the scoring tiles by slot. Each territory is analysed once (territory.c) for the queries in a row that
   name it: its frontier, its areas (a union-find over the regions of its tiles) and the roads from its castle. A
   placement is then a difference (placements.c): the areas that its tile touches are replaced by those that it forms,
   and roads are followed from its cell. points.c has the scoring that needs neither.

   Placements are in the order of `Territory.legal_places`: by cell, in the order in which tiles first touched the
   cell, then by rotation. Indices of input arrays are checked before they are used, so wrong ones raise ValueError. */

#ifndef SKYE_CORE_H
#define SKYE_CORE_H

#include <stddef.h>
#include <stdint.h>

enum { OBJECTS = 7, SIDES = 4, MAX_REGIONS = 5, MAX_ROADS = 4, MAX_TILES = 128, MAX_SLOTS = 6, MAX_RIVALS = 4 };
enum { WHISKY, SHEEP, CATTLE, FARM, BROCH, SHIP, LIGHTHOUSE };
enum { PASTURE = 1, MOUNTAIN, WATER };
enum { LIMIT = 100, WIDTH = 256, CELLS = WIDTH * WIDTH, CASTLE = 128 * WIDTH + 128 };
enum { TURNED_FIELDS = 3 * SIDES + 1 + 6 * MAX_REGIONS + MAX_ROADS, KIND_FIELDS = 3 };

/* The kinds of scoring tiles, as in `tables.py`. */
enum { AREAS, LARGEST_AREA, TILES, ROAD_TILES, MAJORITY, GOLD, SQUARES, BUILDING_SETS, ANIMALS_NEAR_FARMS,
       VERTICAL_LINES, KINDS };

static const int STEP[SIDES] = {-WIDTH, 1, WIDTH, -1}; /* from a cell to its neighbour on each side */
#define OPPOSITE(side) ((side) ^ 2)

typedef struct {
    int16_t terrain, brochs, ships, lighthouses, scroll, sides; /* scroll: its object or -1; sides: a bit for each */
} Region;

typedef struct {
    int16_t edges[SIDES], region_at[SIDES], road_at[SIDES], regions;
    Region region[MAX_REGIONS];
    int16_t road_sides[MAX_ROADS];
    int packed; /* the edges in the form of a constraint */
} Turned;

typedef struct {
    int16_t kind, points, second; /* points: for most, or for each pattern; for areas, the number of their table */
} Kind;

/* The tables of a ruleset. */
typedef struct {
    int tiles, scoring_tiles, castles;
    int max_size, max_brochs, max_ships, max_lighthouses, contents; /* the dimensions of `area_points` */
    Turned *turned;                                                 /* [tile][rotation] */
    int16_t *counts;                                                /* [tile][object] */
    Kind *kinds;                                                    /* [scoring tile] */
    int16_t *values;                                                /* [scoring tile][tile] */
    int16_t *area_points;                                           /* [table][completed][size][contents] */
    int16_t per_point[OBJECTS];
} Tables;

typedef struct {
    int terrain, openings, size, brochs, ships, lighthouses, scroll_count;
    int scrolls[OBJECTS]; /* by the object that they count */
    uint64_t tiles[2]; /* a bit for each tile of the territory */
} Area;

/* A territory and what `analyse` derives from it. */
typedef struct {
    int tiles, frontier_size, areas, has_scrolls;
    int cell[MAX_TILES], frontier[SIDES * MAX_TILES];
    int16_t tile[MAX_TILES];
    const Turned *turned[MAX_TILES];
    int parent[MAX_TILES * MAX_REGIONS];      /* union-find over regions, by tile and region */
    int16_t area_of[MAX_TILES * MAX_REGIONS]; /* by tile and region */
    Area area[MAX_TILES * MAX_REGIONS];
    uint8_t connected[MAX_TILES]; /* a bit for each road that leads to the castle */
    int counts[OBJECTS], scroll_weight[OBJECTS], scroll_points, whisky;
    uint8_t at[CELLS];         /* the index of the tile on a cell + 1, or 0 */
    uint8_t constraint[CELLS]; /* see `skye.tiles.TileSet` */
} Territory;

/* A question. `held` and `rival_counts` are counts that majorities compare; `now` are the points before a placement. */
typedef struct {
    int territory, tile, slots;
    int scoring[MAX_SLOTS];
    int held[MAX_SLOTS], now[MAX_SLOTS], rivals;
    int rival_counts[MAX_SLOTS][MAX_RIVALS];
} Query;

typedef enum {
    OK,
    NO_MEMORY,
    BAD_STARTS,
    BAD_TILE,
    BAD_CELL,
    BAD_EDGE,
    BAD_CASTLE,
    TOO_MANY,
    BAD_QUERY,
    IN_TERRITORY,
} Fault;

typedef struct {
    char *bytes;
    size_t used, size;
} Buffer;

typedef struct {
    const int32_t *starts, *golds, *queries;
    const int16_t *placed;
    int territories, asked, slots, rivals;
    long long tiles;
} Batch;

static inline const int16_t *counts_of(const Tables *t, int tile) { return &t->counts[tile * OBJECTS]; }

static inline int value_of(const Tables *t, int scoring, int tile) { return t->values[scoring * t->tiles + tile]; }

static inline int kind_of(const Tables *t, const Query *q, int slot) { return t->kinds[q->scoring[slot]].kind; }

/* The index in the territory of the tile on a cell, or -1. */
static inline int tile_at(const Territory *y, int cell) { return y->at[cell] - 1; }

static inline int has_whisky(const Tables *t, int tile) { return counts_of(t, tile)[WHISKY] > 0; }

/* The weight of the scrolls in an area. */
static inline int scroll_factor(const Area *area) { return area->openings ? 1 : 2; }

/* The points of an area by a scoring tile of areas. */
static inline int area_value(const Tables *t, int scoring, const Area *area)
{
    int contents = 0;
    if (area->terrain == MOUNTAIN)
        contents = 1 + area->brochs;
    else if (area->terrain == WATER)
        contents = 2 + t->max_brochs + area->ships * (t->max_lighthouses + 1) + area->lighthouses;
    size_t row = ((size_t)t->kinds[scoring].points * 2 + !area->openings) * (t->max_size + 1) + area->size;
    return t->area_points[row * t->contents + contents];
}

/* Replace what is in a territory, zeroed before its first use, by these placements. */
Fault analyse(const Tables *t, Territory *y, const int16_t *placed, int tiles);

/* Follow roads from parts (8 * tile + road) that are in `connected` already; add what they reach. */
void follow_roads(const Territory *y, uint8_t *connected, int *parts, int count);

int majority(const Kind *kind, int own, const int *rivals, int count);
int points_now(const Tables *t, const Territory *y, const Query *q, int slot);
int pattern_points_added(const Tables *t, const Territory *y, const Kind *kind, int cell, int tile);

/* Add all placements of the tile of a query to `rows`, and their number to `found`. */
Fault place_everywhere(const Tables *t, const Territory *y, const Query *q, Buffer *rows, int32_t *found);

/* Answer all queries. After a fault, `at` is the territory or query that has it. */
Fault answer_all(const Tables *t, const Batch *b, Buffer *rows, int32_t *offsets, int16_t *now, int *at);

/* Return room at the end of a buffer, or NULL without memory. */
void *extend(Buffer *buffer, size_t more);

#endif
