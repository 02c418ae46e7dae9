// SPDX-License-Identifier: BSD-3-Clause
// Elements. All texts go through text nodes and attributes, none through HTML: titles and names of
// files are whatever somebody wrote.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** Attributes named on... are listeners; true is an empty attribute; null, undefined and false are none. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
        else if (value !== null && value !== undefined && value !== false)
            element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children) if (child) element.append(child);
    return element;
}

let used = 0;

/** An id that no other element has. */
export function newId(word: string): string {
    used++;
    return `${word}-${used}`;
}

export interface Choice {
    value: string;
    text: string;
    group?: string;
}

function addChoices(select: HTMLSelectElement, choices: Choice[]): void {
    let group = null as HTMLOptGroupElement | null;
    for (const choice of choices) {
        const option = el("option", { value: choice.value }, choice.text);
        if (choice.group === undefined) group = null;
        else if (group?.label !== choice.group) {
            group = el("optgroup", { label: choice.group });
            select.append(group);
        }
        (group ?? select).append(option);
    }
}

export function setChoices(select: HTMLSelectElement, choices: Choice[], value: string): void {
    select.replaceChildren();
    addChoices(select, choices);
    select.value = value;
}

/** A select with its label before it. */
export function selectField(label: string, choices: Choice[], value: string, changed: (value: string) => void): { field: HTMLElement; select: HTMLSelectElement } {
    const id = newId("select");
    const select = el("select", { id, onchange: () => changed(select.value) });
    setChoices(select, choices, value);
    return { field: el("span", { class: "field" }, el("label", { for: id }, label), select), select };
}

export function checkField(label: string, checked: boolean, changed: (checked: boolean) => void): { field: HTMLElement; box: HTMLInputElement } {
    const box = el("input", { type: "checkbox", onchange: () => changed(box.checked) });
    box.checked = checked;
    return { field: el("label", { class: "check" }, box, label), box };
}

export function button(text: string, pressed: () => void, attributes: Attributes = {}): HTMLButtonElement {
    return el("button", { type: "button", onclick: pressed, ...attributes }, text);
}

/** A table that scrolls; `rows` are of cells, or of rows. A text in the head is a heading. */
export function tableBox(label: string, head: Child[], rows: HTMLElement[], attributes: { class?: string; box?: string; caption?: string; readOnly?: boolean } = {}): HTMLElement {
    const { caption } = attributes, headings = head.map((cell) => (typeof cell === "string" ? el("th", { scope: "col" }, cell) : cell));
    return el("div", { class: attributes.box ?? "scroll", tabindex: 0, role: "region", "aria-label": label },
        el("table", { class: attributes.class },
            caption !== undefined && el("caption", { class: attributes.readOnly ? "only-read" : null }, caption),
            el("thead", {}, el("tr", {}, ...headings)),
            el("tbody", {}, ...rows)));
}

/** A part of the page, with its heading and what can be done in it. */
export function section(id: string, title: string, hint: string | null, ...children: Child[]): HTMLElement {
    return el("section", { id, "aria-labelledby": `${id}-heading` },
        el("div", { class: "heading" }, el("h2", { id: `${id}-heading` }, title), hint !== null && el("p", { class: "hint" }, hint)), ...children);
}

/** One place for what screen readers are to say. */
export const liveRegion = el("div", { class: "only-read", role: "status", "aria-live": "polite", id: "said" });

export function say(text: string): void {
    liveRegion.textContent = text;
}

const focusable = "a, button, select, input, summary, [tabindex]";

/** New children for an element that is shown: what was open stays open, and the focus stays where it was. */
export function renew(element: HTMLElement, children: (Node | null)[]): void {
    const open = [...element.querySelectorAll("details")].map((details) => details.open);
    const at = [...element.querySelectorAll<HTMLElement>(focusable)].indexOf(document.activeElement as HTMLElement);
    element.replaceChildren(...children.filter((child) => child !== null));
    [...element.querySelectorAll("details")].forEach((details, i) => (details.open = open[i] ?? false));
    if (at >= 0) element.querySelectorAll<HTMLElement>(focusable)[at]?.focus({ preventScroll: true });
}

/** Hands a file to the reader. */
export function save(content: Blob | string, name: string, type: string): void {
    const blob = typeof content === "string" ? new Blob([content], { type }) : content;
    const url = URL.createObjectURL(blob);
    const link = el("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A name for a file, from any text. */
export function fileName(text: string, ending: string): string {
    const plain = text.normalize("NFKD").replace(/[^\w-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 60);
    return `${plain === "" ? "twirl" : plain}.${ending}`;
}
