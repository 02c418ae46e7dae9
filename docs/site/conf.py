# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx reads this for the site that scripts/docs builds. Its sources are staged by stage.py, which says where they are."""

import os
import re
import sys
from pathlib import Path

import furo
from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

lexers["csv"] = TextLexer(stripnl=False)  # a name that pages use and no lexer has
sys.path[:0] = [os.environ["TWIRL_PYTHONPATH"], os.path.dirname(os.path.abspath(__file__))]

project = "twirl"
author = "the twirl authors"
copyright = "2026, the twirl authors"
version = release = os.environ["TWIRL_VERSION"]

extensions = ["myst_parser", "mathml", "sphinx.ext.autodoc"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 6
myst_dmath_allow_space = False
myst_dmath_double_inline = True
# A page that begins below level 1, or a block of console output that no lexer reads, is no fault.
smartquotes = False  # options begin with two hyphens
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_theme = "furo"
html_title = "twirl " + release.partition("+")[0]
# Debian's style sheet of the theme lacks its rule for systems that prefer dark: its variables, by the option that writes such a rule.
sheet = Path(furo.__file__).parent / "theme/furo/static/styles/furo.css"
dark = re.search(r'body\[data-theme="?dark"?\] *{([^}]*)}', sheet.read_text(encoding="utf-8"))[1]
html_theme_options = {"dark_css_variables": dict(re.findall(r"--([\w-]+): *([^;]+);", dark + ";"))}
html_static_path = [os.path.dirname(os.path.abspath(__file__)) + "/static"]
html_css_files = ["twirl.css"]
html_extra_path = [os.environ["TWIRL_EXTRA"]]
html_copy_source = False
html_use_index = False
html_domain_indices = False
html_show_sphinx = False
