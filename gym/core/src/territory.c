/* The analysis of a territory: its frontier, areas and roads. */

#include "core.h"

#include <string.h>

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

/* Put the next tile on its cell, and constrain the empty cells beside it. */
static Fault occupy(Territory *y, int cell, const Turned *turned)
{
    y->cell[y->tiles] = cell;
    y->turned[y->tiles] = turned;
    y->at[cell] = (uint8_t)++y->tiles;
    for (int side = 0; side < SIDES; side++) {
        int there = cell + STEP[side], shown = y->constraint[cell] >> 2 * side & 3;
        if (shown && shown != turned->edges[side])
            return BAD_EDGE;
        if (shown)
            continue;
        if (!y->constraint[there])
            y->frontier[y->frontier_size++] = there;
        y->constraint[there] |= turned->edges[side] << 2 * OPPOSITE(side);
    }
    return OK;
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
        seen[tile >> 6] |= (uint64_t)1 << (tile & 63);
        y->tile[i] = (int16_t)tile;
        for (int thing = 0; thing < OBJECTS; thing++)
            y->counts[thing] += counts_of(t, tile)[thing];
        Fault fault = occupy(y, row * WIDTH + x + CASTLE, &t->turned[4 * tile + rotation]);
        if (fault != OK)
            return fault;
    }
    return OK;
}

static void join_regions(Territory *y)
{
    for (int part = 0; part < y->tiles * MAX_REGIONS; part++)
        y->parent[part] = part;
    for (int i = 0; i < y->tiles; i++)
        for (int side = 1; side <= 2; side++) { /* each shared edge once: east and south */
            int other = tile_at(y, y->cell[i] + STEP[side]);
            if (other >= 0) {
                int part = root_of(y->parent, i * MAX_REGIONS + y->turned[i]->region_at[side]);
                int across = other * MAX_REGIONS + y->turned[other]->region_at[OPPOSITE(side)];
                y->parent[root_of(y->parent, across)] = part;
            }
        }
}

static void add_region(Territory *y, Area *area, int i, const Region *region)
{
    area->terrain = region->terrain;
    area->brochs += region->brochs;
    area->ships += region->ships;
    if (!(area->tiles[i >> 6] >> (i & 63) & 1)) { /* an area counts each tile once */
        area->tiles[i >> 6] |= (uint64_t)1 << (i & 63);
        area->size++;
        area->lighthouses += region->lighthouses;
    }
    if (region->scroll >= 0) {
        area->scrolls[region->scroll]++;
        area->scroll_count++;
        y->has_scrolls = 1;
    }
    for (int side = 0; side < SIDES; side++)
        area->openings += region->sides >> side & 1 && !y->at[y->cell[i] + STEP[side]];
}

static void count_areas(Territory *y)
{
    y->areas = y->has_scrolls = 0;
    for (int part = 0; part < y->tiles * MAX_REGIONS; part++)
        y->area_of[part] = -1;
    for (int i = 0; i < y->tiles; i++)
        for (int r = 0; r < y->turned[i]->regions; r++) {
            int part = i * MAX_REGIONS + r, root = root_of(y->parent, part);
            if (y->area_of[root] < 0) {
                memset(&y->area[y->areas], 0, sizeof(Area));
                y->area_of[root] = (int16_t)y->areas++;
            }
            y->area_of[part] = y->area_of[root];
            add_region(y, &y->area[y->area_of[root]], i, &y->turned[i]->region[r]);
        }
}

static void count_scrolls(const Tables *t, Territory *y)
{
    memset(y->scroll_weight, 0, sizeof(y->scroll_weight));
    y->scroll_points = 0;
    for (int thing = 0; y->has_scrolls && thing < OBJECTS; thing++) {
        for (int a = 0; a < y->areas; a++)
            y->scroll_weight[thing] += y->area[a].scrolls[thing] * scroll_factor(&y->area[a]);
        y->scroll_points += y->scroll_weight[thing] * (y->counts[thing] / t->per_point[thing]);
    }
}

void follow_roads(const Territory *y, uint8_t *connected, int *parts, int count)
{
    while (count) {
        int part = parts[--count], i = part >> 3, sides = y->turned[i]->road_sides[part & 7];
        for (int side = 0; side < SIDES; side++) {
            int other = sides >> side & 1 ? tile_at(y, y->cell[i] + STEP[side]) : -1;
            int road = other >= 0 ? y->turned[other]->road_at[OPPOSITE(side)] : -1;
            if (road >= 0 && !(connected[other] >> road & 1)) {
                connected[other] |= 1 << road;
                parts[count++] = 8 * other + road;
            }
        }
    }
}

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

Fault analyse(const Tables *t, Territory *y, const int16_t *placed, int tiles)
{
    clear(y);
    if (tiles < 1)
        return BAD_CASTLE;
    if (tiles >= MAX_TILES)
        return TOO_MANY;
    Fault fault = lay_tiles(t, y, placed, tiles);
    if (fault != OK)
        return fault;
    join_regions(y);
    count_areas(y);
    count_scrolls(t, y);
    connect_roads(t, y);
    return OK;
}
