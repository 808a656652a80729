/* Legality and scoring of placements for arrays of territories.

   Theory of operation. `load` copies what `skye_core.tables` derives from a ruleset. `answer` takes a pool of
   territories and queries; a query is a territory, a tile in hand, the territories of the rivals and the scoring
   tiles by slot. Each territory is analysed once for the queries in a row that name it: its frontier, its areas (a
   union-find over the regions of its tiles) and the roads from its castle. A placement is then a difference: the
   areas that its tile touches are replaced by those that it forms, and roads are followed from its cell.

   Placements are in the order of `Territory.legal_places`: by cell, in the order in which tiles first touched the
   cell, then by rotation. Indices of input arrays are checked before they are used, so wrong ones raise ValueError. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 7, SIDES = 4, MAX_REGIONS = 5, MAX_ROADS = 4, MAX_TILES = 128, MAX_SLOTS = 6, MAX_RIVALS = 4 };
enum { WHISKY, SHEEP, CATTLE, FARM, BROCH, SHIP, LIGHTHOUSE };
enum { PASTURE = 1, MOUNTAIN, WATER };
enum { LIMIT = 100, WIDTH = 256, CELLS = WIDTH * WIDTH, CASTLE = 128 * WIDTH + 128 };
enum { TURNED_FIELDS = 3 * SIDES + 1 + 6 * MAX_REGIONS + MAX_ROADS, KIND_FIELDS = 3 };

/* The kinds of scoring tiles, as in `tables.py`. */
enum { AREAS, LARGEST_AREA, TILES, ROAD_TILES, MAJORITY, GOLD, SQUARES, BUILDING_SETS, ANIMALS_NEAR_FARMS,
       VERTICAL_LINES, KINDS };

static const int STEP[SIDES] = {-WIDTH, 1, WIDTH, -1};
static const int AROUND[9] = {-WIDTH - 1, -WIDTH, -WIDTH + 1, -1, 0, 1, WIDTH - 1, WIDTH, WIDTH + 1};
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
    int terrain, openings, size, brochs, ships, lighthouses;
    int scrolls[OBJECTS];
    uint64_t tiles[2]; /* a bit for each tile of the territory */
} Area;

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

typedef struct {
    int territory, tile, slots;
    int scoring[MAX_SLOTS];
    int held[MAX_SLOTS], now[MAX_SLOTS], rivals;
    int rival_counts[MAX_SLOTS][MAX_RIVALS];
} Query;

typedef enum { OK, NO_MEMORY, BAD_STARTS, BAD_TILE, BAD_CELL, BAD_EDGE, BAD_CASTLE, TOO_MANY, BAD_QUERY, IN_TERRITORY } Fault;

static const char *const FAULTS[] = {
    "", "", "does not start where the one before it ends", "has an unknown tile, an unknown rotation or a tile twice",
    "has a tile out of reach or two on one cell", "has an edge on which terrains differ",
    "does not have one castle, first and on (0, 0)", "has more than 127 tiles", "names what there is not",
    "asks for a tile that is in the territory, or for a castle"};

typedef struct {
    char *bytes;
    size_t used, size;
} Buffer;

static void *extend(Buffer *buffer, size_t more)
{
    if (buffer->used + more > buffer->size) {
        size_t size = 2 * buffer->size + more + 4096;
        char *bytes = realloc(buffer->bytes, size);
        if (!bytes)
            return NULL;
        buffer->bytes = bytes;
        buffer->size = size;
    }
    void *end = buffer->bytes + buffer->used;
    buffer->used += more;
    return end;
}

/* Tables */

static int area_value(const Tables *t, int scoring, const Area *area)
{
    int contents = 0;
    if (area->terrain == MOUNTAIN)
        contents = 1 + area->brochs;
    else if (area->terrain == WATER)
        contents = 2 + t->max_brochs + area->ships * (t->max_lighthouses + 1) + area->lighthouses;
    size_t row = ((size_t)t->kinds[scoring].points * 2 + !area->openings) * (t->max_size + 1) + area->size;
    return t->area_points[row * t->contents + contents];
}

static void free_tables(PyObject *capsule)
{
    Tables *t = PyCapsule_GetPointer(capsule, "skye_core.tables");
    free(t->turned);
    free(t->counts);
    free(t->kinds);
    free(t->values);
    free(t->area_points);
    free(t);
}

static void *copy_of(const void *from, size_t size)
{
    void *copy = malloc(size ? size : 1);
    if (copy)
        memcpy(copy, from, size);
    return copy;
}

static void read_turned(Turned *turned, const int16_t *from)
{
    turned->packed = 0;
    for (int side = 0; side < SIDES; side++) {
        turned->edges[side] = from[side];
        turned->region_at[side] = from[SIDES + side];
        turned->road_at[side] = from[2 * SIDES + side];
        turned->packed |= from[side] << 2 * side;
    }
    from += 3 * SIDES;
    turned->regions = *from++;
    memcpy(turned->region, from, sizeof(turned->region));
    memcpy(turned->road_sides, from + 6 * MAX_REGIONS, sizeof(turned->road_sides));
}

static int turned_is_valid(const Turned *turned)
{
    int valid = turned->regions >= 1 && turned->regions <= MAX_REGIONS;
    for (int side = 0; side < SIDES; side++) {
        valid &= turned->edges[side] >= PASTURE && turned->edges[side] <= WATER;
        valid &= turned->region_at[side] >= 0 && turned->region_at[side] < turned->regions;
        valid &= turned->road_at[side] >= -1 && turned->road_at[side] < MAX_ROADS;
    }
    for (int region = 0; valid && region < turned->regions; region++)
        valid &= turned->region[region].terrain >= PASTURE && turned->region[region].terrain <= WATER &&
                 turned->region[region].scroll >= -1 && turned->region[region].scroll < OBJECTS;
    return valid;
}

static PyObject *load(PyObject *module, PyObject *args)
{
    Py_buffer turned, counts, kinds, values, area_points, per_point;
    Tables sizes = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*i(iiii)", &turned, &counts, &kinds, &values, &area_points, &per_point,
                          &sizes.castles, &sizes.max_size, &sizes.max_brochs, &sizes.max_ships,
                          &sizes.max_lighthouses))
        return NULL;
    sizes.tiles = (int)(counts.len / (OBJECTS * sizeof(int16_t)));
    sizes.scoring_tiles = (int)(kinds.len / sizeof(Kind));
    sizes.contents = 2 + sizes.max_brochs + (sizes.max_ships + 1) * (sizes.max_lighthouses + 1);
    Py_ssize_t table = 2 * (sizes.max_size + 1) * sizes.contents * (Py_ssize_t)sizeof(int16_t);
    int valid = turned.len == (Py_ssize_t)(sizes.tiles * 4 * TURNED_FIELDS * sizeof(int16_t)) &&
                values.len == (Py_ssize_t)(sizes.scoring_tiles * sizes.tiles * sizeof(int16_t)) &&
                area_points.len % table == 0 && sizes.max_size < MAX_TILES &&
                per_point.len == sizeof(sizes.per_point);
    Tables *t = valid ? copy_of(&sizes, sizeof(sizes)) : NULL;
    PyObject *capsule = t ? PyCapsule_New(t, "skye_core.tables", free_tables) : NULL;
    if (!t && valid)
        PyErr_NoMemory();
    else if (t && !capsule)
        free(t);
    else if (capsule) {
        memcpy(t->per_point, per_point.buf, sizeof(t->per_point));
        t->counts = copy_of(counts.buf, counts.len);
        t->kinds = copy_of(kinds.buf, kinds.len);
        t->values = copy_of(values.buf, values.len);
        t->area_points = copy_of(area_points.buf, area_points.len);
        t->turned = calloc(4 * sizes.tiles + 1, sizeof(Turned));
        if (!(t->turned && t->counts && t->kinds && t->values && t->area_points)) {
            PyErr_NoMemory();
            Py_CLEAR(capsule);
        }
    }
    if (capsule) {
        for (int i = 0; i < 4 * sizes.tiles; i++) {
            read_turned(&t->turned[i], (const int16_t *)turned.buf + i * TURNED_FIELDS);
            valid &= turned_is_valid(&t->turned[i]);
        }
        for (int i = 0; i < sizes.scoring_tiles; i++)
            valid &= t->kinds[i].kind >= 0 && t->kinds[i].kind < KINDS &&
                     (t->kinds[i].kind > LARGEST_AREA || t->kinds[i].points < area_points.len / table);
        for (int i = 0; i < OBJECTS; i++)
            valid &= t->per_point[i] > 0;
    }
    Py_buffer *buffers[] = {&turned, &counts, &kinds, &values, &area_points, &per_point};
    for (int i = 0; i < 6; i++)
        PyBuffer_Release(buffers[i]);
    if (!valid) {
        Py_CLEAR(capsule);
        PyErr_SetString(PyExc_ValueError, "the tables do not fit together");
    }
    return capsule;
}

/* The analysis of a territory */

static int root_of(int *parent, int part)
{
    while (parent[part] != part)
        part = parent[part] = parent[parent[part]];
    return part;
}

static void clear(Territory *y)
{
    for (int i = 0; i < y->tiles; i++)
        y->at[y->cell[i]] = y->constraint[y->cell[i]] = 0;
    for (int i = 0; i < y->frontier_size; i++)
        y->constraint[y->frontier[i]] = 0;
    y->tiles = y->frontier_size = 0;
}

static Fault lay_tiles(const Tables *t, Territory *y, const int16_t *placed, int tiles)
{
    uint64_t seen[2] = {0, 0};
    memset(y->counts, 0, sizeof(y->counts));
    for (int i = 0; i < tiles; i++, placed += 4) {
        int tile = placed[0], x = placed[1], row = placed[2], rotation = placed[3];
        if (tile < 0 || tile >= t->tiles || rotation < 0 || rotation > 3 || seen[tile >> 6] >> (tile & 63) & 1)
            return BAD_TILE;
        if ((i == 0) != (tile < t->castles) || (i == 0 && (x || row)))
            return BAD_CASTLE;
        if (x < -LIMIT || x > LIMIT || row < -LIMIT || row > LIMIT || y->at[row * WIDTH + x + CASTLE])
            return BAD_CELL;
        int cell = row * WIDTH + x + CASTLE;
        const Turned *turned = &t->turned[4 * tile + rotation];
        seen[tile >> 6] |= (uint64_t)1 << (tile & 63);
        y->cell[i] = cell;
        y->tile[i] = (int16_t)tile;
        y->turned[i] = turned;
        y->at[cell] = (uint8_t)(i + 1);
        y->tiles = i + 1;
        for (int side = 0; side < SIDES; side++) {
            int there = cell + STEP[side], shown = y->constraint[cell] >> 2 * side & 3;
            if (shown) {
                if (shown != turned->edges[side])
                    return BAD_EDGE;
            } else {
                if (!y->constraint[there])
                    y->frontier[y->frontier_size++] = there;
                y->constraint[there] |= turned->edges[side] << 2 * OPPOSITE(side);
            }
        }
        for (int thing = 0; thing < OBJECTS; thing++)
            y->counts[thing] += t->counts[tile * OBJECTS + thing];
    }
    return OK;
}

static void join_areas(const Tables *t, Territory *y)
{
    for (int part = 0; part < y->tiles * MAX_REGIONS; part++)
        y->parent[part] = part;
    for (int i = 0; i < y->tiles; i++)
        for (int side = 1; side <= 2; side++) { /* each shared edge once: east and south */
            int other = y->at[y->cell[i] + STEP[side]] - 1;
            if (other >= 0) {
                int part = root_of(y->parent, i * MAX_REGIONS + y->turned[i]->region_at[side]);
                int across = other * MAX_REGIONS + y->turned[other]->region_at[OPPOSITE(side)];
                y->parent[root_of(y->parent, across)] = part;
            }
        }
    y->areas = y->has_scrolls = 0;
    for (int part = 0; part < y->tiles * MAX_REGIONS; part++)
        y->area_of[part] = -1;
    for (int i = 0; i < y->tiles; i++)
        for (int r = 0; r < y->turned[i]->regions; r++) {
            const Region *region = &y->turned[i]->region[r];
            int part = i * MAX_REGIONS + r, root = root_of(y->parent, part);
            if (y->area_of[root] < 0) {
                memset(&y->area[y->areas], 0, sizeof(Area));
                y->area[y->areas].terrain = region->terrain;
                y->area_of[root] = (int16_t)y->areas++;
            }
            Area *area = &y->area[y->area_of[root]];
            y->area_of[part] = y->area_of[root];
            area->brochs += region->brochs;
            area->ships += region->ships;
            if (!(area->tiles[i >> 6] >> (i & 63) & 1)) {
                area->tiles[i >> 6] |= (uint64_t)1 << (i & 63);
                area->size++;
                area->lighthouses += region->lighthouses;
            }
            if (region->scroll >= 0) {
                area->scrolls[region->scroll]++;
                y->has_scrolls = 1;
            }
            for (int side = 0; side < SIDES; side++)
                area->openings += region->sides >> side & 1 && !y->at[y->cell[i] + STEP[side]];
        }
    memset(y->scroll_weight, 0, sizeof(y->scroll_weight));
    for (int a = 0; a < y->areas; a++)
        for (int thing = 0; thing < OBJECTS; thing++)
            y->scroll_weight[thing] += y->area[a].scrolls[thing] * (y->area[a].openings ? 1 : 2);
    y->scroll_points = 0;
    for (int thing = 0; thing < OBJECTS; thing++)
        y->scroll_points += y->scroll_weight[thing] * (y->counts[thing] / t->per_point[thing]);
}

/* Follow roads from parts (8 * tile + road) that are in `connected` already; add what they reach. */
static void follow_roads(const Territory *y, uint8_t *connected, int *parts, int count)
{
    while (count) {
        int part = parts[--count], i = part >> 3, sides = y->turned[i]->road_sides[part & 7];
        for (int side = 0; side < SIDES; side++) {
            int other = sides >> side & 1 ? y->at[y->cell[i] + STEP[side]] - 1 : -1;
            int road = other >= 0 ? y->turned[other]->road_at[OPPOSITE(side)] : -1;
            if (road >= 0 && !(connected[other] >> road & 1)) {
                connected[other] |= 1 << road;
                parts[count++] = 8 * other + road;
            }
        }
    }
}

static int has_whisky(const Tables *t, int tile) { return t->counts[tile * OBJECTS + WHISKY] > 0; }

static void connect_roads(const Tables *t, Territory *y)
{
    int parts[MAX_TILES * MAX_ROADS], count = 0;
    memset(y->connected, 0, y->tiles);
    for (int side = 0; side < SIDES; side++) {
        int road = y->turned[0]->road_at[side];
        if (road >= 0 && !(y->connected[0] >> road & 1)) {
            y->connected[0] |= 1 << road;
            parts[count++] = road;
        }
    }
    follow_roads(y, y->connected, parts, count);
    y->whisky = 0;
    for (int i = 1; i < y->tiles; i++)
        y->whisky += y->connected[i] && has_whisky(t, y->tile[i]);
}

static Fault analyse(const Tables *t, Territory *y, const int16_t *placed, int tiles)
{
    clear(y);
    if (tiles < 1)
        return BAD_CASTLE;
    if (tiles >= MAX_TILES)
        return TOO_MANY;
    Fault fault = lay_tiles(t, y, placed, tiles);
    if (fault != OK)
        return fault;
    join_areas(t, y);
    connect_roads(t, y);
    return OK;
}

/* Points of a territory */

static int animals(const Tables *t, int tile) { return t->counts[tile * OBJECTS + SHEEP] + t->counts[tile * OBJECTS + CATTLE]; }

static int is_near_farm(const Tables *t, const Territory *y, int cell)
{
    for (int i = 0; i < 9; i++) {
        int other = y->at[cell + AROUND[i]] - 1;
        if (other >= 0 && t->counts[y->tile[other] * OBJECTS + FARM])
            return 1;
    }
    return 0;
}

static int building_sets(const Tables *t, const Territory *y, int tile)
{
    int fewest = 1 << 15;
    for (int thing = FARM; thing <= LIGHTHOUSE; thing++)
        if (thing != SHIP) {
            int count = y->counts[thing] + (tile < 0 ? 0 : t->counts[tile * OBJECTS + thing]);
            fewest = count < fewest ? count : fewest;
        }
    return fewest;
}

static int run_length(const Territory *y, int cell, int step)
{
    int length = 0;
    while (y->at[cell += step])
        length++;
    return length;
}

static int patterns(const Tables *t, const Territory *y, int kind)
{
    int found = kind == BUILDING_SETS ? building_sets(t, y, -1) : 0;
    for (int i = 0; i < y->tiles; i++) {
        int cell = y->cell[i];
        if (kind == SQUARES)
            found += y->at[cell + 1] && y->at[cell + WIDTH] && y->at[cell + WIDTH + 1];
        else if (kind == VERTICAL_LINES)
            found += !y->at[cell - WIDTH] && run_length(y, cell, WIDTH) >= 2;
        else if (kind == ANIMALS_NEAR_FARMS && animals(t, y->tile[i]) && is_near_farm(t, y, cell))
            found += animals(t, y->tile[i]);
    }
    return found;
}

static int patterns_added(const Tables *t, const Territory *y, int kind, int cell, int tile)
{
    int found = 0;
    if (kind == SQUARES) {
        for (int v = -WIDTH; v <= WIDTH; v += 2 * WIDTH)
            for (int h = -1; h <= 1; h += 2)
                found += y->at[cell + v] && y->at[cell + h] && y->at[cell + v + h];
    } else if (kind == VERTICAL_LINES) {
        int above = run_length(y, cell, -WIDTH), below = run_length(y, cell, WIDTH);
        found = (above + 1 + below >= 3) - (above >= 3) - (below >= 3);
    } else if (kind == ANIMALS_NEAR_FARMS) {
        int is_farm = t->counts[tile * OBJECTS + FARM] > 0;
        if (animals(t, tile) && (is_farm || is_near_farm(t, y, cell)))
            found = animals(t, tile);
        for (int i = 0; is_farm && i < 9; i++) {
            int other = y->at[cell + AROUND[i]] - 1;
            if (other >= 0 && animals(t, y->tile[other]) && !is_near_farm(t, y, cell + AROUND[i]))
                found += animals(t, y->tile[other]);
        }
    } else
        found = building_sets(t, y, tile) - building_sets(t, y, -1);
    return found;
}

static int majority(const Kind *kind, int own, const int *rivals, int count)
{
    int first = own, shared = 0, second = 0;
    for (int i = 0; i < count; i++)
        first = rivals[i] > first ? rivals[i] : first;
    shared += own == first;
    for (int i = 0; i < count; i++)
        shared += rivals[i] == first;
    if (shared == 1) {
        second = own < first ? own : 0;
        for (int i = 0; i < count; i++)
            if (rivals[i] < first && rivals[i] > second)
                second = rivals[i];
    }
    return !own ? 0 : own == first ? kind->points : own == second ? kind->second : 0;
}

static int points_now(const Tables *t, const Territory *y, const Query *q, int slot)
{
    int scoring = q->scoring[slot], points = 0;
    const Kind *kind = &t->kinds[scoring];
    const int16_t *values = &t->values[scoring * t->tiles];
    switch (kind->kind) {
    case AREAS:
        for (int a = 0; a < y->areas; a++)
            points += area_value(t, scoring, &y->area[a]);
        return points;
    case LARGEST_AREA:
        for (int a = 0; a < y->areas; a++) {
            int value = area_value(t, scoring, &y->area[a]);
            points = value > points ? value : points;
        }
        return points;
    case TILES:
        return q->held[slot];
    case ROAD_TILES:
        for (int i = 1; i < y->tiles; i++)
            points += y->connected[i] ? values[y->tile[i]] : 0;
        return points;
    case MAJORITY:
    case GOLD:
        return majority(kind, q->held[slot], q->rival_counts[slot], q->rivals);
    default:
        return kind->points * patterns(t, y, kind->kind);
    }
}

/* Placements */

typedef struct {
    int roots[SIDES], neighbor[SIDES]; /* by side of the cell: the area and the tile there, or -1 */
} Touched;

/* Add what the areas of a placement gain in each slot to `gains`; return the points of all scrolls after it. */
static int gains_of_areas(const Tables *t, const Territory *y, const Query *q, const Turned *turned,
                          const Touched *touched, const int *counts, int *gains)
{
    int group[MAX_REGIONS], weight[OBJECTS], scrolls_changed = 0, points = 0;
    for (int r = 0; r < turned->regions; r++)
        group[r] = r;
    for (int a = 0; a < SIDES; a++)
        for (int b = a + 1; b < SIDES; b++) {
            int from = group[turned->region_at[b]], to = group[turned->region_at[a]];
            if (touched->roots[a] >= 0 && touched->roots[a] == touched->roots[b] && from != to)
                for (int r = 0; r < turned->regions; r++)
                    group[r] = group[r] == from ? to : group[r];
        }
    memcpy(weight, y->scroll_weight, sizeof(weight));
    int best[MAX_SLOTS];
    memcpy(best, q->now, sizeof(best));
    for (int g = 0; g < turned->regions; g++) {
        if (group[g] != g)
            continue;
        Area area = {0};
        int removed[SIDES], count = 0;
        area.terrain = turned->region[g].terrain;
        area.size = 1;
        area.lighthouses = turned->region[g].lighthouses;
        for (int r = 0; r < turned->regions; r++)
            if (group[r] == g) {
                area.brochs += turned->region[r].brochs;
                area.ships += turned->region[r].ships;
                if (turned->region[r].scroll >= 0)
                    area.scrolls[turned->region[r].scroll]++, scrolls_changed = 1;
            }
        for (int side = 0; side < SIDES; side++) {
            int root = touched->roots[side], known = 0;
            if (group[turned->region_at[side]] != g)
                continue;
            area.openings += root < 0 ? 1 : -1;
            for (int i = 0; i < count; i++)
                known |= removed[i] == root;
            if (root < 0 || known)
                continue;
            const Area *old = &y->area[root];
            removed[count++] = root;
            area.openings += old->openings;
            area.size += old->size;
            area.brochs += old->brochs;
            area.ships += old->ships;
            area.lighthouses += old->lighthouses;
            for (int word = 0; word < 2; word++) { /* tiles of two of the areas count once */
                for (uint64_t both = area.tiles[word] & old->tiles[word]; both; both &= both - 1) {
                    int i = 64 * word + __builtin_ctzll(both);
                    area.size--;
                    if (area.terrain == WATER)
                        area.lighthouses -= t->counts[y->tile[i] * OBJECTS + LIGHTHOUSE];
                }
                area.tiles[word] |= old->tiles[word];
            }
            if (y->has_scrolls)
                for (int thing = 0; thing < OBJECTS; thing++)
                    if (old->scrolls[thing]) {
                        area.scrolls[thing] += old->scrolls[thing];
                        weight[thing] -= old->scrolls[thing] * (old->openings ? 1 : 2);
                        scrolls_changed = 1;
                    }
        }
        if (scrolls_changed)
            for (int thing = 0; thing < OBJECTS; thing++)
                weight[thing] += area.scrolls[thing] * (area.openings ? 1 : 2);
        for (int slot = 0; slot < q->slots; slot++) {
            int scoring = q->scoring[slot], kind = t->kinds[scoring].kind;
            if (kind == AREAS) {
                gains[slot] += area_value(t, scoring, &area);
                for (int i = 0; i < count; i++)
                    gains[slot] -= area_value(t, scoring, &y->area[removed[i]]);
            } else if (kind == LARGEST_AREA) {
                int value = area_value(t, scoring, &area);
                best[slot] = value > best[slot] ? value : best[slot];
            }
        }
    }
    for (int slot = 0; slot < q->slots; slot++)
        if (t->kinds[q->scoring[slot]].kind == LARGEST_AREA)
            gains[slot] = best[slot] - q->now[slot];
    for (int thing = 0; thing < OBJECTS; thing++)
        points += weight[thing] * (counts[thing] / t->per_point[thing]);
    return points;
}

/* Add the points of tiles that a placement joins to the castle to `gains`; return the number with whisky. */
static int gains_of_roads(const Tables *t, const Territory *y, const Query *q, const Turned *turned,
                          const Touched *touched, int *gains)
{
    uint8_t connected[MAX_TILES];
    int parts[MAX_TILES * MAX_ROADS], count = 0, roads = 0, whisky, was;
    for (int side = 0; side < SIDES; side++) {
        int i = touched->neighbor[side], own = turned->road_at[side];
        int road = i >= 0 && own >= 0 ? y->turned[i]->road_at[OPPOSITE(side)] : -1;
        if (road >= 0 && y->connected[i] >> road & 1)
            roads |= 1 << own;
    }
    if (!roads)
        return 0;
    memcpy(connected, y->connected, y->tiles);
    do { /* roads of the tile itself may join through other tiles */
        was = roads;
        for (int side = 0; side < SIDES; side++) {
            int i = touched->neighbor[side], own = turned->road_at[side];
            int road = i >= 0 && own >= 0 ? y->turned[i]->road_at[OPPOSITE(side)] : -1;
            if (road < 0)
                continue;
            if (roads >> own & 1 && !(connected[i] >> road & 1)) {
                connected[i] |= 1 << road;
                parts[count++] = 8 * i + road;
                follow_roads(y, connected, parts, count);
                count = 0;
            }
            if (connected[i] >> road & 1)
                roads |= 1 << own;
        }
    } while (roads != was);
    whisky = has_whisky(t, q->tile);
    for (int slot = 0; slot < q->slots; slot++)
        if (t->kinds[q->scoring[slot]].kind == ROAD_TILES)
            gains[slot] += t->values[q->scoring[slot] * t->tiles + q->tile];
    for (int i = 1; i < y->tiles; i++)
        if (connected[i] && !y->connected[i]) {
            whisky += has_whisky(t, y->tile[i]);
            for (int slot = 0; slot < q->slots; slot++)
                if (t->kinds[q->scoring[slot]].kind == ROAD_TILES)
                    gains[slot] += t->values[q->scoring[slot] * t->tiles + y->tile[i]];
        }
    return whisky;
}

static Fault place_everywhere(const Tables *t, const Territory *y, const Query *q, Buffer *rows, int32_t *found)
{
    int anywhere[MAX_SLOTS] = {0}, counts[OBJECTS], points = 0, with_areas = y->has_scrolls, with_patterns = 0;
    for (int thing = 0; thing < OBJECTS; thing++) {
        counts[thing] = y->counts[thing] + t->counts[q->tile * OBJECTS + thing];
        points += y->scroll_weight[thing] * (counts[thing] / t->per_point[thing]);
    }
    for (int r = 0; r < t->turned[4 * q->tile].regions; r++)
        with_areas |= t->turned[4 * q->tile].region[r].scroll >= 0;
    for (int slot = 0; slot < q->slots; slot++) {
        const Kind *kind = &t->kinds[q->scoring[slot]];
        int value = t->values[q->scoring[slot] * t->tiles + q->tile];
        if (kind->kind == TILES)
            anywhere[slot] = value;
        else if (kind->kind == MAJORITY)
            anywhere[slot] = majority(kind, q->held[slot] + value, q->rival_counts[slot], q->rivals) - q->now[slot];
        with_areas |= kind->kind == AREAS || kind->kind == LARGEST_AREA;
        with_patterns |= kind->kind >= SQUARES;
    }
    for (int f = 0; f < y->frontier_size; f++) {
        int cell = y->frontier[f], constraint = y->constraint[cell], is_first = 1, at_cell[MAX_SLOTS];
        int shown = ((constraint | constraint >> 1) & 0x55) * 3;
        Touched touched;
        if (y->at[cell])
            continue;
        for (int rotation = 0; rotation < 4; rotation++) {
            const Turned *turned = &t->turned[4 * q->tile + rotation];
            int gains[MAX_SLOTS], whisky, scrolls = points;
            if ((turned->packed & shown) != constraint)
                continue;
            if (is_first) {
                is_first = 0;
                memcpy(at_cell, anywhere, sizeof(at_cell));
                for (int slot = 0; with_patterns && slot < q->slots; slot++) {
                    const Kind *kind = &t->kinds[q->scoring[slot]];
                    if (kind->kind >= SQUARES)
                        at_cell[slot] += kind->points * patterns_added(t, y, kind->kind, cell, q->tile);
                }
                for (int side = 0; side < SIDES; side++) {
                    int i = touched.neighbor[side] = y->at[cell + STEP[side]] - 1;
                    touched.roots[side] =
                        i < 0 ? -1 : y->area_of[i * MAX_REGIONS + y->turned[i]->region_at[OPPOSITE(side)]];
                }
            }
            memcpy(gains, at_cell, sizeof(gains));
            if (with_areas)
                scrolls = gains_of_areas(t, y, q, turned, &touched, counts, gains);
            whisky = gains_of_roads(t, y, q, turned, &touched, gains);
            int16_t *row = extend(rows, (q->slots + 5) * sizeof(int16_t));
            if (!row)
                return NO_MEMORY;
            row[0] = (int16_t)((cell & (WIDTH - 1)) - 128);
            row[1] = (int16_t)(cell / WIDTH - 128);
            row[2] = (int16_t)rotation;
            for (int slot = 0; slot < q->slots; slot++)
                row[3 + slot] = (int16_t)gains[slot];
            row[3 + q->slots] = (int16_t)whisky;
            row[4 + q->slots] = (int16_t)(scrolls - y->scroll_points);
            ++*found;
        }
    }
    return OK;
}

/* The call */

typedef struct {
    const int32_t *starts, *golds, *queries;
    const int16_t *placed;
    int territories, asked, slots, rivals;
    long long tiles;
} Batch;

static int holds(const Tables *t, const Batch *b, int scoring, int territory, Fault *fault)
{
    int held = 0;
    if (t->kinds[scoring].kind == GOLD)
        return b->golds[territory];
    for (int i = b->starts[territory]; i < b->starts[territory + 1]; i++) {
        int tile = b->placed[4 * i];
        if (tile < 0 || tile >= t->tiles)
            *fault = BAD_TILE;
        else
            held += t->values[scoring * t->tiles + tile];
    }
    return held;
}

static Fault read_query(const Tables *t, const Batch *b, const int32_t *from, Query *q)
{
    Fault fault = OK;
    q->territory = from[0];
    q->tile = from[1];
    q->slots = b->slots;
    q->rivals = 0;
    if (q->territory < 0 || q->territory >= b->territories || q->tile < 0 || q->tile >= t->tiles)
        return BAD_QUERY;
    for (int slot = 0; slot < b->slots; slot++) {
        int scoring = q->scoring[slot] = from[2 + b->rivals + slot];
        if (scoring < 0 || scoring >= t->scoring_tiles)
            return BAD_QUERY;
        if (t->kinds[scoring].kind >= TILES && t->kinds[scoring].kind <= GOLD)
            q->held[slot] = holds(t, b, scoring, q->territory, &fault);
    }
    for (int i = 0; i < b->rivals; i++) {
        int rival = from[2 + i];
        if (rival < -1 || rival >= b->territories)
            return BAD_QUERY;
        for (int slot = 0; rival >= 0 && slot < b->slots; slot++) {
            int kind = t->kinds[q->scoring[slot]].kind;
            if (kind == MAJORITY || kind == GOLD)
                q->rival_counts[slot][q->rivals] = holds(t, b, q->scoring[slot], rival, &fault);
        }
        q->rivals += rival >= 0;
    }
    return fault;
}

static Fault answer_all(const Tables *t, const Batch *b, Buffer *rows, int32_t *offsets, int16_t *now, int *at)
{
    Territory *y = calloc(1, sizeof(Territory));
    Fault fault = y ? OK : NO_MEMORY;
    int analysed = -1;
    Query q;
    offsets[0] = 0;
    for (*at = 0; fault == OK && *at < b->territories; ++*at)
        if (b->starts[0] || b->starts[*at] > b->starts[*at + 1] || b->starts[*at + 1] > b->tiles)
            fault = BAD_STARTS;
    if (fault != OK)
        --*at;
    for (int i = 0; fault == OK && i < b->asked; i++) {
        *at = i;
        fault = read_query(t, b, b->queries + (size_t)i * (2 + b->rivals + b->slots), &q);
        if (fault == OK && q.territory != analysed) {
            fault = analyse(t, y, b->placed + 4 * (size_t)b->starts[q.territory],
                            b->starts[q.territory + 1] - b->starts[q.territory]);
            analysed = q.territory;
        }
        if (fault != OK)
            break;
        for (int j = 0; j < y->tiles; j++)
            if (y->tile[j] == q.tile || q.tile < t->castles)
                fault = IN_TERRITORY;
        for (int slot = 0; slot < b->slots; slot++)
            *now++ = (int16_t)(q.now[slot] = points_now(t, y, &q, slot));
        *now++ = (int16_t)y->whisky;
        *now++ = (int16_t)y->scroll_points;
        offsets[i + 1] = offsets[i];
        if (fault == OK)
            fault = place_everywhere(t, y, &q, rows, &offsets[i + 1]);
    }
    free(y);
    return fault;
}

static PyObject *answer(PyObject *module, PyObject *args)
{
    Py_buffer starts, placed, golds, queries;
    PyObject *capsule, *offsets = NULL, *now = NULL, *result = NULL;
    Batch b;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*ii", &capsule, &starts, &placed, &golds, &queries, &b.rivals, &b.slots))
        return NULL;
    const Tables *t = PyCapsule_GetPointer(capsule, "skye_core.tables");
    Py_ssize_t width = (2 + b.rivals + b.slots) * (Py_ssize_t)sizeof(int32_t);
    b.starts = starts.buf;
    b.golds = golds.buf;
    b.queries = queries.buf;
    b.placed = placed.buf;
    b.territories = (int)(golds.len / sizeof(int32_t));
    b.tiles = placed.len / (4 * sizeof(int16_t));
    if (t && (b.rivals < 0 || b.rivals > MAX_RIVALS || b.slots < 0 || b.slots > MAX_SLOTS || queries.len % width ||
              starts.len != golds.len + (Py_ssize_t)sizeof(int32_t)))
        PyErr_SetString(PyExc_ValueError, "the arrays of the batch do not fit together");
    else if (t) {
        b.asked = (int)(queries.len / width);
        offsets = PyBytes_FromStringAndSize(NULL, (b.asked + 1) * (Py_ssize_t)sizeof(int32_t));
        now = PyBytes_FromStringAndSize(NULL, b.asked * (b.slots + 2) * (Py_ssize_t)sizeof(int16_t));
    }
    if (offsets && now) {
        Buffer rows = {NULL, 0, 0};
        int32_t *to = (int32_t *)PyBytes_AsString(offsets);
        int16_t *points = (int16_t *)PyBytes_AsString(now);
        Fault fault;
        int at = 0;
        Py_BEGIN_ALLOW_THREADS
        fault = answer_all(t, &b, &rows, to, points, &at);
        Py_END_ALLOW_THREADS
        if (fault == OK)
            result = Py_BuildValue("OOy#", offsets, now, rows.bytes ? rows.bytes : "", (Py_ssize_t)rows.used);
        else if (fault == NO_MEMORY)
            PyErr_NoMemory();
        else
            PyErr_Format(PyExc_ValueError, fault == BAD_STARTS ? "territory %d %s" : fault >= BAD_QUERY ? "query %d %s"
                         : "the territory of query %d, or of a rival, %s", at, FAULTS[fault]);
        free(rows.bytes);
    }
    Py_XDECREF(offsets);
    Py_XDECREF(now);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&placed);
    PyBuffer_Release(&golds);
    PyBuffer_Release(&queries);
    return result;
}

/* Packing of the placements of the engine's territories */

static int pack_place(PyObject *place, PyObject *numbers, int16_t *row)
{
    PyObject *tile = PyTuple_GetItem(place, 0);
    PyObject *number = tile ? PyDict_GetItemWithError(numbers, tile) : NULL;
    if (!number) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "there is no tile %R", tile);
        return 0;
    }
    row[0] = (int16_t)PyLong_AsLong(number);
    for (int i = 1; i < 4; i++) {
        PyObject *value = PyTuple_GetItem(place, i);
        long n = value ? PyLong_AsLong(value) : -1;
        if (PyErr_Occurred())
            return 0;
        if (n < -360 || n > 360) {
            PyErr_Format(PyExc_ValueError, "%R is no placement", place);
            return 0;
        }
        row[i] = (int16_t)(i == 3 ? (n % 90 ? -1 : n / 90) : n);
    }
    return 1;
}

static PyObject *pack(PyObject *module, PyObject *args)
{
    PyObject *territories, *numbers, *result = NULL;
    Buffer starts = {NULL, 0, 0}, placed = {NULL, 0, 0};
    int32_t total = 0, *start;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &territories, &PyDict_Type, &numbers))
        return NULL;
    if (!(start = extend(&starts, sizeof(*start))))
        goto no_memory;
    *start = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(territories); i++) {
        PyObject *places = PyList_GetItem(territories, i);
        Py_ssize_t count = PyTuple_Size(places);
        if (count < 0)
            goto done;
        int16_t *row = extend(&placed, count * 4 * sizeof(*row));
        if (!row || !(start = extend(&starts, sizeof(*start))))
            goto no_memory;
        for (Py_ssize_t j = 0; j < count; j++, row += 4)
            if (!pack_place(PyTuple_GetItem(places, j), numbers, row))
                goto done;
        *start = total += (int32_t)count;
    }
    result = Py_BuildValue("y#y#", starts.bytes, (Py_ssize_t)starts.used, placed.bytes ? placed.bytes : "",
                           (Py_ssize_t)placed.used);
    goto done;
no_memory:
    PyErr_NoMemory();
done:
    free(starts.bytes);
    free(placed.bytes);
    return result;
}

static PyMethodDef METHODS[] = {
    {"load", load, METH_VARARGS, "Return the tables of a ruleset in the form that `answer` reads."},
    {"answer", answer, METH_VARARGS, "Return the offsets, the points now, and the placements of all queries."},
    {"pack", pack, METH_VARARGS, "Return the starts and the placements of territories as arrays."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "skye_core._placements",
                                    "Legality and scoring of placements for arrays of territories.", 0, METHODS,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__placements(void);

PyMODINIT_FUNC PyInit__placements(void) { return PyModule_Create(&MODULE); }
