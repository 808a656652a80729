/* The extension module: arrays of Python in, bytes out. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "core.h"

#include <stdlib.h>
#include <string.h>

static const char *const FAULTS[] = { /* by Fault, without the two first */
    "", "", "does not start where the one before it ends", "has an unknown tile, an unknown rotation or a tile twice",
    "has a tile out of reach or two on one cell", "has an edge on which terrains differ",
    "does not have one castle, first and on (0, 0)", "has more than 127 tiles", "names what there is not",
    "asks for a tile that is in the territory, or for a castle"};

/* Tables */

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

/* Answers */

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
