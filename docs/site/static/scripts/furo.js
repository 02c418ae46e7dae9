/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the theme's own script, which Debian ships in parts that a browser does not load from disk: the buttons that choose
 * between dark, light and what the system prefers. The choice is kept where the theme looks for it. */
(() => {
    "use strict";
    document.documentElement.classList.remove("no-js");
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const next = () => {
        const order = dark.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
        return order[(order.indexOf(document.body.dataset.theme) + 1) % order.length];
    };
    for (const button of document.getElementsByClassName("theme-toggle"))
        button.addEventListener("click", () => {
            document.body.dataset.theme = next();
            try {
                localStorage.setItem("theme", document.body.dataset.theme);
            } catch {
                /* a browser that keeps nothing for pages from disk */
            }
        });
})();
