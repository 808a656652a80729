/* Queries, one after the other. */

#include "core.h"

#include <stdlib.h>

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
            held += value_of(t, scoring, tile);
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

/* Check that the territories lie one after the other within their array. */
static Fault check_starts(const Batch *b, int *at)
{
    for (*at = 0; *at < b->territories; ++*at)
        if (b->starts[0] || b->starts[*at] > b->starts[*at + 1] || b->starts[*at + 1] > b->tiles)
            return BAD_STARTS;
    return OK;
}

static Fault answer_one(const Tables *t, const Territory *y, Query *q, Buffer *rows, int32_t *found, int16_t *now)
{
    for (int i = 0; i < y->tiles; i++)
        if (y->tile[i] == q->tile || q->tile < t->castles)
            return IN_TERRITORY;
    for (int slot = 0; slot < q->slots; slot++)
        *now++ = (int16_t)(q->now[slot] = points_now(t, y, q, slot));
    *now++ = (int16_t)y->whisky;
    *now = (int16_t)y->scroll_points;
    return place_everywhere(t, y, q, rows, found);
}

Fault answer_all(const Tables *t, const Batch *b, Buffer *rows, int32_t *offsets, int16_t *now, int *at)
{
    int analysed = -1, width = 2 + b->rivals + b->slots;
    Fault fault = check_starts(b, at);
    if (fault != OK)
        return fault;
    Territory *y = calloc(1, sizeof(*y));
    if (!y)
        return NO_MEMORY;
    offsets[0] = 0;
    for (*at = 0; *at < b->asked; ++*at) {
        Query q;
        fault = read_query(t, b, b->queries + (size_t)*at * width, &q);
        if (fault == OK && q.territory != analysed) {
            const int32_t *start = &b->starts[q.territory];
            fault = analyse(t, y, b->placed + 4 * (size_t)start[0], start[1] - start[0]);
            analysed = q.territory;
        }
        offsets[*at + 1] = offsets[*at];
        if (fault == OK)
            fault = answer_one(t, y, &q, rows, &offsets[*at + 1], now + (size_t)*at * (b->slots + 2));
        if (fault != OK)
            break;
    }
    free(y);
    return fault;
}
