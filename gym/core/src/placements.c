/* What the placements of a tile change. */

#include "core.h"

#include <stdlib.h>
#include <string.h>

/* The neighbourhood of an empty cell: by side, the area and the tile there, or -1; whether a road from the castle
   leads to the cell. */
typedef struct {
    int areas[SIDES], tiles[SIDES], at_road;
} Touched;

/* An area that a placement forms, and those that it replaces. */
typedef struct {
    Area area;
    int removed[SIDES], removed_count;
} Formed;

/* What is the same for all placements of a tile. */
typedef struct {
    int gains[MAX_SLOTS], scroll_points, with_areas, with_patterns;
    int of_scroll[OBJECTS]; /* the points of a scroll of each kind with the tile, in an open area */
} Anywhere;

void *extend(Buffer *buffer, size_t more)
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

/* Group the regions of a tile that touch the same area: `group` is the number of one of them. */
static void group_regions(const Turned *turned, const Touched *touched, int *group)
{
    for (int r = 0; r < turned->regions; r++)
        group[r] = r;
    for (int a = 0; a < SIDES; a++)
        for (int b = a + 1; b < SIDES; b++) {
            int from = group[turned->region_at[b]], to = group[turned->region_at[a]];
            if (touched->areas[a] >= 0 && touched->areas[a] == touched->areas[b] && from != to)
                for (int r = 0; r < turned->regions; r++)
                    group[r] = group[r] == from ? to : group[r];
        }
}

static void join_area(const Tables *t, const Territory *y, Area *area, const Area *old)
{
    area->openings += old->openings;
    area->size += old->size;
    area->brochs += old->brochs;
    area->ships += old->ships;
    area->lighthouses += old->lighthouses;
    area->scroll_count += old->scroll_count;
    for (int thing = 0; old->scroll_count && thing < OBJECTS; thing++)
        area->scrolls[thing] += old->scrolls[thing];
    for (int word = 0; word < 2; word++) { /* tiles of two of the areas count once */
        for (uint64_t both = area->tiles[word] & old->tiles[word]; both; both &= both - 1) {
            int i = 64 * word + __builtin_ctzll(both);
            area->size--;
            if (area->terrain == WATER)
                area->lighthouses -= counts_of(t, y->tile[i])[LIGHTHOUSE];
        }
        area->tiles[word] |= old->tiles[word];
    }
}

static void form_area(const Tables *t, const Territory *y, const Turned *turned, const Touched *touched,
                      const int *group, int number, Formed *formed)
{
    Area *area = &formed->area;
    memset(formed, 0, sizeof(*formed));
    area->terrain = turned->region[number].terrain;
    area->lighthouses = turned->region[number].lighthouses;
    area->size = 1;
    for (int r = 0; r < turned->regions; r++)
        if (group[r] == number) {
            area->brochs += turned->region[r].brochs;
            area->ships += turned->region[r].ships;
            if (turned->region[r].scroll >= 0)
                area->scrolls[turned->region[r].scroll]++, area->scroll_count++;
        }
    for (int side = 0; side < SIDES; side++) {
        int old = touched->areas[side], is_known = old < 0;
        if (group[turned->region_at[side]] != number)
            continue;
        area->openings += old < 0 ? 1 : -1;
        for (int i = 0; i < formed->removed_count; i++)
            is_known |= formed->removed[i] == old;
        if (!is_known) {
            formed->removed[formed->removed_count++] = old;
            join_area(t, y, area, &y->area[old]);
        }
    }
}

/* Add what an area that a placement forms gains to `gains`; `best` are the points of the largest areas. */
static void add_gains_of_area(const Tables *t, const Territory *y, const Query *q, const Formed *formed, int *gains,
                              int *best)
{
    for (int slot = 0; slot < q->slots; slot++) {
        int scoring = q->scoring[slot], kind = t->kinds[scoring].kind;
        if (kind != AREAS && kind != LARGEST_AREA)
            continue;
        int value = area_value(t, scoring, &formed->area);
        if (kind == LARGEST_AREA)
            best[slot] = value > best[slot] ? value : best[slot];
        else {
            gains[slot] += value;
            for (int i = 0; i < formed->removed_count; i++)
                gains[slot] -= area_value(t, scoring, &y->area[formed->removed[i]]);
        }
    }
}

/* Return what an area that a placement forms adds to the points of scrolls. */
static int gain_of_scrolls(const Territory *y, const Formed *formed, const int *of_scroll)
{
    int points = 0;
    for (int thing = 0; thing < OBJECTS; thing++) {
        int weight = formed->area.scrolls[thing] * scroll_factor(&formed->area);
        for (int i = 0; i < formed->removed_count; i++) {
            const Area *old = &y->area[formed->removed[i]];
            weight -= old->scrolls[thing] * scroll_factor(old);
        }
        points += weight * of_scroll[thing];
    }
    return points;
}

/* Add what the areas of a placement gain to `gains`; return what they add to the points of scrolls. */
static int gains_of_areas(const Tables *t, const Territory *y, const Query *q, const Turned *turned,
                          const Touched *touched, const Anywhere *any, int *gains)
{
    int group[MAX_REGIONS], best[MAX_SLOTS], points = 0;
    Formed formed;
    memcpy(best, q->now, sizeof(best));
    group_regions(turned, touched, group);
    for (int number = 0; number < turned->regions; number++) {
        if (group[number] != number)
            continue;
        form_area(t, y, turned, touched, group, number, &formed);
        add_gains_of_area(t, y, q, &formed, gains, best);
        if (formed.area.scroll_count)
            points += gain_of_scrolls(y, &formed, any->of_scroll);
    }
    for (int slot = 0; slot < q->slots; slot++)
        if (kind_of(t, q, slot) == LARGEST_AREA)
            gains[slot] = best[slot] - q->now[slot];
    return points;
}

/* Return the roads of a tile, a bit for each, that lead to the castle; they may also join through other tiles, whose
   roads are then added to `connected`. */
static int connect_tile(const Territory *y, const Turned *turned, const Touched *touched, uint8_t *connected)
{
    int parts[MAX_TILES * MAX_ROADS], roads = 0, before = -1;
    while (roads != before) {
        before = roads;
        for (int side = 0; side < SIDES; side++) {
            int i = touched->tiles[side], own = turned->road_at[side];
            int road = i >= 0 && own >= 0 ? y->turned[i]->road_at[OPPOSITE(side)] : -1;
            if (road < 0)
                continue;
            if (connected[i] >> road & 1)
                roads |= 1 << own;
            else if (roads >> own & 1) {
                connected[i] |= 1 << road;
                parts[0] = 8 * i + road;
                follow_roads(y, connected, parts, 1);
            }
        }
    }
    return roads;
}

static void add_values(const Tables *t, const Query *q, int tile, int *gains)
{
    for (int slot = 0; slot < q->slots; slot++)
        if (kind_of(t, q, slot) == ROAD_TILES)
            gains[slot] += value_of(t, q->scoring[slot], tile);
}

/* Add the points of tiles that a placement joins to the castle to `gains`; return the number with whisky. */
static int gains_of_roads(const Tables *t, const Territory *y, const Query *q, const Turned *turned,
                          const Touched *touched, int *gains)
{
    uint8_t connected[MAX_TILES];
    memcpy(connected, y->connected, y->tiles);
    if (!connect_tile(y, turned, touched, connected))
        return 0;
    int whisky = has_whisky(t, q->tile);
    add_values(t, q, q->tile, gains);
    for (int i = 1; i < y->tiles; i++)
        if (connected[i] && !y->connected[i]) {
            whisky += has_whisky(t, y->tile[i]);
            add_values(t, q, y->tile[i], gains);
        }
    return whisky;
}

static void gain_anywhere(const Tables *t, const Territory *y, const Query *q, Anywhere *any)
{
    memset(any, 0, sizeof(*any));
    any->with_areas = y->has_scrolls;
    for (int r = 0; r < t->turned[4 * q->tile].regions; r++)
        any->with_areas |= t->turned[4 * q->tile].region[r].scroll >= 0;
    for (int thing = 0; thing < OBJECTS; thing++) {
        any->of_scroll[thing] = (y->counts[thing] + counts_of(t, q->tile)[thing]) / t->per_point[thing];
        any->scroll_points += y->scroll_weight[thing] * any->of_scroll[thing];
    }
    for (int slot = 0; slot < q->slots; slot++) {
        const Kind *kind = &t->kinds[q->scoring[slot]];
        int value = value_of(t, q->scoring[slot], q->tile);
        if (kind->kind == TILES)
            any->gains[slot] = value;
        else if (kind->kind == MAJORITY)
            any->gains[slot] =
                majority(kind, q->held[slot] + value, q->rival_counts[slot], q->rivals) - q->now[slot];
        any->with_areas |= kind->kind == AREAS || kind->kind == LARGEST_AREA;
        any->with_patterns |= kind->kind >= SQUARES;
    }
}

/* Write what is the same for all rotations on a cell. */
static void look_around(const Tables *t, const Territory *y, const Query *q, const Anywhere *any, int cell,
                        Touched *touched, int *gains)
{
    memcpy(gains, any->gains, sizeof(any->gains));
    for (int slot = 0; any->with_patterns && slot < q->slots; slot++)
        if (kind_of(t, q, slot) >= SQUARES)
            gains[slot] += pattern_points_added(t, y, &t->kinds[q->scoring[slot]], cell, q->tile);
    touched->at_road = 0;
    for (int side = 0; side < SIDES; side++) {
        int i = touched->tiles[side] = tile_at(y, cell + STEP[side]);
        touched->areas[side] = -1;
        if (i < 0)
            continue;
        touched->areas[side] = y->area_of[i * MAX_REGIONS + y->turned[i]->region_at[OPPOSITE(side)]];
        int road = y->turned[i]->road_at[OPPOSITE(side)];
        touched->at_road |= road >= 0 && y->connected[i] >> road & 1;
    }
}

static void write_row(const Query *q, int16_t *row, int cell, int rotation, const int *gains, int whisky, int scrolls)
{
    *row++ = (int16_t)(cell % WIDTH - 128);
    *row++ = (int16_t)(cell / WIDTH - 128);
    *row++ = (int16_t)rotation;
    for (int slot = 0; slot < q->slots; slot++)
        *row++ = (int16_t)gains[slot];
    *row++ = (int16_t)whisky;
    *row = (int16_t)scrolls;
}

Fault place_everywhere(const Tables *t, const Territory *y, const Query *q, Buffer *rows, int32_t *found)
{
    Anywhere any;
    gain_anywhere(t, y, q, &any);
    for (int f = 0; f < y->frontier_size; f++) {
        int cell = y->frontier[f], constraint = y->constraint[cell], is_first = 1, at_cell[MAX_SLOTS];
        int shown = ((constraint | constraint >> 1) & 0x55) * 3; /* both bits of each side with a neighbour */
        Touched touched;
        for (int rotation = 0; rotation < 4 && !y->at[cell]; rotation++) {
            const Turned *turned = &t->turned[4 * q->tile + rotation];
            int gains[MAX_SLOTS], scrolls = any.scroll_points - y->scroll_points, whisky = 0;
            if ((turned->packed & shown) != constraint)
                continue;
            if (is_first)
                look_around(t, y, q, &any, cell, &touched, at_cell);
            is_first = 0;
            memcpy(gains, at_cell, sizeof(gains));
            if (any.with_areas)
                scrolls += gains_of_areas(t, y, q, turned, &touched, &any, gains);
            if (touched.at_road)
                whisky = gains_of_roads(t, y, q, turned, &touched, gains);
            int16_t *row = extend(rows, (q->slots + 5) * sizeof(*row));
            if (!row)
                return NO_MEMORY;
            write_row(q, row, cell, rotation, gains, whisky, scrolls);
            ++*found;
        }
    }
    return OK;
}
