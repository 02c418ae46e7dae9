/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_text.h"

#include <string.h>

enum { COLUMNS = 5, PITCH = COLUMNS + 1 };

typedef struct letter {
    char name;
    const char *rows; /* from the top, separated by blanks; # is a dot */
} letter;

/* The letters used in numbers, units and names of quantities. */
static const letter letters[] = {
    {'0', ".###. #...# #..## #.#.# ##..# #...# .###. ..... "},
    {'1', "..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###. ..... "},
    {'2', ".###. #...# ....# ..##. .#... #.... ##### ..... "},
    {'3', ".###. #...# ....# ..##. ....# #...# .###. ..... "},
    {'4', "...#. ..##. .#.#. #..#. ##### ...#. ...#. ..... "},
    {'5', "##### #.... ####. ....# ....# #...# .###. ..... "},
    {'6', ".###. #.... #.... ####. #...# #...# .###. ..... "},
    {'7', "##### ....# ...#. ..#.. .#... .#... .#... ..... "},
    {'8', ".###. #...# #...# .###. #...# #...# .###. ..... "},
    {'9', ".###. #...# #...# .#### ....# ....# .###. ..... "},
    {'.', "..... ..... ..... ..... ..... .##.. .##.. ..... "},
    {'-', "..... ..... ..... .###. ..... ..... ..... ..... "},
    {'+', "..... ..#.. ..#.. ##### ..#.. ..#.. ..... ..... "},
    {'/', "....# ....# ...#. ..#.. .#... #.... #.... ..... "},
    {'[', ".##.. .#... .#... .#... .#... .#... .##.. ..... "},
    {']', "..##. ...#. ...#. ...#. ...#. ...#. ..##. ..... "},
    {'N', "#...# ##..# ##..# #.#.# #..## #..## #...# ..... "},
    {'a', "..... ..... .###. ....# .#### #...# .#### ..... "},
    {'c', "..... ..... .###. #...# #.... #...# .###. ..... "},
    {'d', "....# ....# .#### #...# #...# #...# .#### ..... "},
    {'e', "..... ..... .###. #...# ##### #.... .###. ..... "},
    {'f', "..##. .#..# .#... ####. .#... .#... .#... ..... "},
    {'i', "..#.. ..... .##.. ..#.. ..#.. ..#.. .###. ..... "},
    {'k', "#.... #.... #..#. #.#.. ##... #.#.. #..#. ..... "},
    {'l', ".##.. ..#.. ..#.. ..#.. ..#.. ..#.. .###. ..... "},
    {'m', "..... ..... ##.#. #.#.# #.#.# #.#.# #.#.# ..... "},
    {'n', "..... ..... ####. #...# #...# #...# #...# ..... "},
    {'o', "..... ..... .###. #...# #...# #...# .###. ..... "},
    {'r', "..... ..... #.##. ##..# #.... #.... #.... ..... "},
    {'s', "..... ..... .#### #.... .###. ....# ####. ..... "},
    {'t', ".#... .#... ####. .#... .#... .#..# ..##. ..... "},
    {'v', "..... ..... #...# #...# #...# .#.#. ..#.. ..... "},
    {'y', "..... ..... #...# #...# #...# .#### ....# .###. "},
    {'z', "..... ..... ##### ...#. ..#.. .#... ##### ..... "},
};

static const char *rows_of(char name)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (letters[i].name == name) return letters[i].rows;
    return NULL;
}

size_t tw_render_text_width(const char *text, size_t dot)
{
    return *text ? dot * (PITCH * strlen(text) - 1) : 0;
}

void tw_render_fill(tw_render_picture *picture, size_t x, size_t y, size_t width, size_t height,
                    tw_colour colour)
{
    for (size_t j = y; j < y + height && j < picture->height; j++) {
        for (size_t i = x; i < x + width && i < picture->width; i++)
            tw_colour_bytes(colour, picture->rgb + 3 * (j * picture->width + i));
    }
}

void tw_render_text(tw_render_picture *picture, size_t x, size_t y, size_t dot, tw_colour colour,
                    const char *text)
{
    for (; *text; text++, x += PITCH * dot) {
        const char *rows = rows_of(*text);
        for (size_t k = 0; rows && k < COLUMNS * TW_RENDER_TEXT_ROWS; k++) {
            const size_t row = k / COLUMNS, column = k % COLUMNS;
            if (rows[PITCH * row + column] == '#')
                tw_render_fill(picture, x + dot * column, y + dot * row, dot, dot, colour);
        }
    }
}
