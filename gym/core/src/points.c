/* Points of patterns and majorities, and the points of a territory as it is. */

#include "core.h"

static const int AROUND[9] = {-WIDTH - 1, -WIDTH, -WIDTH + 1, -1, 0, 1, WIDTH - 1, WIDTH, WIDTH + 1};

static int animals(const Tables *t, int tile) { return counts_of(t, tile)[SHEEP] + counts_of(t, tile)[CATTLE]; }

static int is_near_farm(const Tables *t, const Territory *y, int cell)
{
    for (int i = 0; i < 9; i++) {
        int other = tile_at(y, cell + AROUND[i]);
        if (other >= 0 && counts_of(t, y->tile[other])[FARM])
            return 1;
    }
    return 0;
}

/* The sets of buildings, also with another tile if it is not -1. */
static int building_sets(const Tables *t, const Territory *y, int tile)
{
    int fewest = 1 << 15;
    for (int thing = FARM; thing <= LIGHTHOUSE; thing++)
        if (thing != SHIP) {
            int count = y->counts[thing] + (tile < 0 ? 0 : counts_of(t, tile)[thing]);
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

static int squares_added(const Territory *y, int cell)
{
    int found = 0;
    for (int v = -WIDTH; v <= WIDTH; v += 2 * WIDTH)
        for (int h = -1; h <= 1; h += 2)
            found += y->at[cell + v] && y->at[cell + h] && y->at[cell + v + h];
    return found;
}

static int lines_added(const Territory *y, int cell)
{
    int above = run_length(y, cell, -WIDTH), below = run_length(y, cell, WIDTH);
    return (above + 1 + below >= 3) - (above >= 3) - (below >= 3);
}

static int animals_near_farms_added(const Tables *t, const Territory *y, int cell, int tile)
{
    int is_farm = counts_of(t, tile)[FARM] > 0, found = animals(t, tile);
    if (found && !is_farm && !is_near_farm(t, y, cell))
        found = 0;
    for (int i = 0; is_farm && i < 9; i++) {
        int other = tile_at(y, cell + AROUND[i]);
        if (other >= 0 && animals(t, y->tile[other]) && !is_near_farm(t, y, cell + AROUND[i]))
            found += animals(t, y->tile[other]);
    }
    return found;
}

int pattern_points_added(const Tables *t, const Territory *y, const Kind *kind, int cell, int tile)
{
    switch (kind->kind) {
    case SQUARES:
        return kind->points * squares_added(y, cell);
    case VERTICAL_LINES:
        return kind->points * lines_added(y, cell);
    case ANIMALS_NEAR_FARMS:
        return kind->points * animals_near_farms_added(t, y, cell, tile);
    default:
        return kind->points * (building_sets(t, y, tile) - building_sets(t, y, -1));
    }
}

int majority(const Kind *kind, int own, const int *rivals, int count)
{
    int first = own, shared, second = 0;
    for (int i = 0; i < count; i++)
        first = rivals[i] > first ? rivals[i] : first;
    shared = own == first;
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

int points_now(const Tables *t, const Territory *y, const Query *q, int slot)
{
    int scoring = q->scoring[slot], points = 0;
    const Kind *kind = &t->kinds[scoring];
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
            points += y->connected[i] ? value_of(t, scoring, y->tile[i]) : 0;
        return points;
    case MAJORITY:
    case GOLD:
        return majority(kind, q->held[slot], q->rival_counts[slot], q->rivals);
    default:
        return kind->points * patterns(t, y, kind->kind);
    }
}
