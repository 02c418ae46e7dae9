/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces of STL and OBJ files: the same one in every form, and defects with their places. */
#include "files.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <twirl/exchange.h>

/* A wedge on six corners: its faces have three and four. */
static const double corner[6][3] = {{0, 0, 0},    {2, 0, 0},    {0, 1.5, 0},
                                    {0, 0, 0.25}, {2, 0, 0.25}, {0, 1.5, 0.25}};
static const int face[5][4] = {
    {1, 3, 2, 0}, {4, 5, 6, 0}, {1, 2, 5, 4}, {2, 3, 6, 5}, {3, 1, 4, 6}};
static const int triangle[8][3] = {{1, 3, 2}, {4, 5, 6}, {1, 2, 5}, {1, 5, 4},
                                   {2, 3, 6}, {2, 6, 5}, {3, 1, 4}, {3, 4, 6}};

static char *print_stl(const char *newline, int upper)
{
    char *text = malloc(8000), *at = text;
    at += sprintf(at, "%s part 1%s", upper ? "SOLID" : "solid", newline);
    for (int i = 0; i < 8; i++) {
        at += sprintf(at, "%s normal 0 0 1%s outer loop%s", upper ? "FACET" : " facet", newline,
                      newline);
        for (int k = 0; k < 3; k++) {
            const double *x = corner[triangle[i][k] - 1];
            at += sprintf(at, "  vertex %.17g %.3e %+.2f%s", x[0], x[1], x[2], newline);
        }
        at += sprintf(at, " endloop%s endfacet%s%s", newline, newline, newline);
    }
    sprintf(at, "endsolid%s", newline);
    return text;
}

static char *print_obj(int relative, const char *extra)
{
    char *text = malloc(8000), *at = text;
    at += sprintf(at, "# a wedge\nmtllib x.mtl\no wedge\nvn 0 0 1\n");
    for (int i = 0; i < 6; i++)
        at += sprintf(at, "v %g %g %g%s\n", corner[i][0], corner[i][1], corner[i][2],
                      i % 2 ? " 1.0" : "");
    for (int i = 0; i < 5; i++) {
        at += sprintf(at, "f");
        for (int k = 0; k < 4 && face[i][k]; k++)
            at += sprintf(at, " %d%s", relative ? face[i][k] - 7 : face[i][k], extra);
        at += sprintf(at, "\n");
    }
    return text;
}

static tw_mesh read_mesh(const char *path, tw_exchange_kind kind)
{
    tw_mesh mesh;
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_exchange_recognise(path, &error), kind);
    if (tw_mesh_read(&mesh, path, 1.0, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    return mesh;
}

static void check_wedge(const char *path, tw_exchange_kind kind)
{
    tw_mesh mesh = read_mesh(path, kind);
    assert_int_equal(mesh.vertex_count, 6);
    assert_int_equal(mesh.facet_count, 8);
    assert_int_equal(mesh.edge_count, 12);
    assert_true(fabs(mesh.volume - 0.375) < 1e-15);
    assert_true(fabs(mesh.area - (3.0 + 0.25 * (2.0 + 1.5 + 2.5))) < 1e-14);
    assert_true(mesh.vertex[0].x == 0.0 && mesh.vertex[5].x == 2.0 && mesh.vertex[5].z == 0.25);
    tw_mesh_free(&mesh);
}

static void write_and_check(char *text, const char *path, tw_exchange_kind kind)
{
    files_write(path, text);
    free(text);
    check_wedge(path, kind);
}

static void text_in_all_its_forms(void **state)
{
    (void)state;
    write_and_check(print_stl("\n", 0), "a.stl", TW_EXCHANGE_STL);
    write_and_check(print_stl("\r\n", 1), "b.txt", TW_EXCHANGE_STL);
    write_and_check(print_obj(0, ""), "a.obj", TW_EXCHANGE_OBJ);
    write_and_check(print_obj(1, "/1"), "b.txt", TW_EXCHANGE_OBJ);
    write_and_check(print_obj(0, "//1"), "b.txt", TW_EXCHANGE_OBJ);
    write_and_check(print_obj(1, "/7/1"), "b.txt", TW_EXCHANGE_OBJ);
}

/* Bytes of a binary file, whose head may say anything. */
static size_t print_binary(unsigned char *bytes, const char *head)
{
    memset(bytes, 0, 84 + 8 * 50);
    memcpy(bytes, head, strlen(head));
    bytes[80] = 8;
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 9; k++) {
            const float x = (float)corner[triangle[i][k / 3] - 1][k % 3];
            uint32_t bits;
            memcpy(&bits, &x, sizeof bits);
            for (int b = 0; b < 4; b++)
                bytes[84 + 50 * i + 12 + 4 * k + b] = (unsigned char)(bits >> 8 * b);
        }
    }
    return 84 + 8 * 50;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void check_refused(const char *path, const char *text)
{
    tw_mesh mesh;
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_not_equal(tw_mesh_read(&mesh, path, 1.0, &error), TW_STATUS_OK);
    if (!strstr(error.text, text)) fail_msg("'%s' does not say '%s'", error.text, text);
    assert_non_null(strstr(error.text, path));
    assert_null(mesh.facet);
}

static void binary_files_are_known_by_their_length(void **state)
{
    (void)state;
    unsigned char bytes[600] = {0};
    for (int i = 0; i < 2; i++) {
        const size_t count = print_binary(bytes, i ? "solid as some programs write" : "");
        write_bytes("c.bin", bytes, count);
        check_wedge("c.bin", TW_EXCHANGE_STL);
        write_bytes("c.stl", bytes, count - 1);
        check_refused("c.stl", "c.stl: neither STL of text");
        bytes[84 + 50 + 12 + 3] = bytes[84 + 50 + 12 + 2] = 0xff;
        write_bytes("c.bin", bytes, count);
        check_refused("c.bin", "c.bin: facet 2 has a corner that is not a finite length");
    }
}

static void defects_are_refused_with_their_lines(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *message;
    } bad[] = {
        {"a.stl", "", "neither STL of text"},
        {"a.stl", "solid\n", "no facets"},
        {"a.stl", "solid\nvertex 1 2 3\n", "a.stl:2: vertex; expected facet first"},
        {"a.stl", "solid\nfacet\nfacet\n", "a.stl:3: facet; expected vertex or endfacet"},
        {"a.stl", "solid\nfacet\nvertex 1 2\n", "a.stl:3: 2 numbers after vertex; expected x y z"},
        {"a.stl", "solid\nfacet\nvertex 1 2 c\n", "a.stl:3: 'c'"},
        {"a.stl", "solid\nfacet\nendfacet\n", "a.stl:3: endfacet; expected three vertices first"},
        {"a.stl", "solid\nfacet\nvertex 1 2 3\nvertex 1 2 3\nvertex 1 2 3\nvertex 1 2 3\n",
         "a.stl:6: vertex; expected endfacet after three"},
        {"a.stl", "solid\nfacet\n", "the file ends within a facet"},
        {"a.stl", "solid\nface\n", "a.stl:2: 'face'; expected facet"},
        {"a.stl", "solid\nfacet\nvertex 1 2 3\nvertex 1e200 2 3\nvertex 1 5 3\nendfacet\n",
         "a.stl:6: facet 1 has a corner that is not a finite length"},
        {"a.obj", "", "no facets"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj:3: a polygon of 2 corners; expected 3 to 64"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 4\n", "a.obj:4: vertex '4'; there are 3"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 0\n", "a.obj:4: vertex '0'"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 -4\n", "a.obj:4: vertex '-4'"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 1.5\n", "a.obj:4: vertex '1.5'"},
        {"a.obj", "v 0 0\n", "a.obj:1: 2 numbers after v"},
        {"a.obj", "v 0 0 0\nface\n", "a.obj:2: 'face'; expected v, f"},
        {"a.obj", "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nf 1 2 3 4\nf 2 3 4 1\n",
         "a.obj:6: a polygon that is not convex"},
        {"none.stl", NULL, "none.stl"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (bad[i].text) files_write(bad[i].path, bad[i].text);
        check_refused(bad[i].path, bad[i].message);
    }
    tw_error error;
    files_write("a.obj", "v 0 0 0\n");
    assert_null(tw_specimen_read("a.obj", &error));
    assert_non_null(strstr(error.text, "a.obj: is a surface; expected a D-file"));
}

static void lengths_are_scaled(void **state)
{
    (void)state;
    tw_mesh mesh;
    char *text = print_obj(0, "");
    files_write("a.obj", text);
    free(text);
    assert_int_equal(tw_mesh_read(&mesh, "a.obj", 1e-3, NULL), TW_STATUS_OK);
    assert_true(mesh.high.x == 2e-3);
    assert_true(fabs(mesh.volume - 0.375e-9) < 1e-24);
    tw_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_in_all_its_forms),
        cmocka_unit_test(binary_files_are_known_by_their_length),
        cmocka_unit_test(defects_are_refused_with_their_lines),
        cmocka_unit_test(lengths_are_scaled),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
