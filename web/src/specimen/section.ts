// SPDX-License-Identifier: BSD-3-Clause
// The section of the specimen: its picture, what can be chosen, and the contacts of a grain.

import { ChartCard } from "../chart/chart_card.ts";
import { describedSpec } from "../chart/figure_chart.ts";
import { isComplete, ratesOf, WALL, type Figure, type Run, type Snapshot } from "../data/contract.ts";
import { short, withUnit } from "../data/unit.ts";
import { button, checkField, el, newId, say, section, selectField, setChoices, tableBox } from "../page/dom.ts";
import { onTheme } from "../page/theme.ts";
import { contactsOf, unpackState, type Pair, type State } from "./state.ts";
import { SpecimenView, startDrawing, type Drawing, type Quantity } from "./view.ts";

const pictureTime = 250; // milliseconds

export class SpecimenSection {
    readonly element: HTMLElement;
    private readonly scene = el("div", {
        class: "scene", tabindex: 0, role: "application", "aria-roledescription": "picture that can be turned",
        "aria-label": "The specimen. Arrow keys turn it, with shift they move it, plus and minus zoom, 0 is the first view, escape lets go of the grain.",
    });
    private readonly note = el("div", { class: "scene-note" }, "The picture is drawn when it comes into view.");
    private readonly slider = el("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "State", oninput: () => this.choose(Number(this.slider.value)) });
    private readonly caption = el("output", {});
    private readonly playButton = button("Play", () => (this.playing ? this.pause() : void this.play()), { "aria-label": "Play the film" });
    private readonly runSelect = selectField("Run", [], "0", (value) => this.chooseRun(Number(value)));
    private readonly grain = el("div", {});
    private readonly grainNumber = el("input", { type: "number", min: 0, step: 1, id: newId("grain"), onchange: () => this.pickId(Number(this.grainNumber.value)) });
    private readonly figures = el("div", { class: "grid" });
    private cards = new Map<string, ChartCard>(); // of figures of the state, by name
    private wallsField: HTMLElement | null = null;
    private readonly colour = selectField("Grains by", [], "", (value) => this.change({ colour: value as Quantity }));
    private readonly chainColour = selectField("Chains by", [], "", (value) => this.change({ chainColour: value as Drawing["chainColour"] }));
    private drawing: Drawing = { ...startDrawing };
    private view: SpecimenView | null = null;
    private broken = false; // there is no WebGL
    private state: State | null = null;
    private run = 0;
    private at = -1;
    private chosen = -1;
    private following = true; // the newest state, as long as the reader has chosen none
    private playing = 0; // number of the film that is shown; 0: none
    private films = 0;

    constructor(private runs: Run[], private readonly fetchSnapshot?: (number: number) => Promise<Snapshot>) {
        this.scene.append(this.note);
        this.element = section("specimen", "Specimen", "Drag to turn, shift and drag to move, click a grain for its contacts. Click into the picture to zoom with the wheel.",
            el("div", { class: "specimen" }, el("div", {}, this.scene, el("div", { class: "snapshots" }, this.runSelect.field, this.playButton, this.slider, this.caption)), this.side()), this.figures);
        onTheme(() => this.view?.redraw());
        this.fillRuns();
        new IntersectionObserver((entries) => {
            if (entries.some((entry) => entry.isIntersecting)) void this.start();
        }, { rootMargin: "200px" }).observe(this.scene);
        addEventListener("beforeprint", () => void this.start());
    }

    // ---- States ----

    private get snapshots(): Snapshot[] {
        return this.runs[this.run]?.snapshots ?? [];
    }

    update(runs: Run[]): void {
        const list = () => this.snapshots.map((snapshot) => (snapshot.within ? "" : snapshot.step)).join(), before = list();
        this.runs = runs;
        if (list() === before) return;
        this.fillRuns();
        if (this.view || this.broken) void this.load(this.following ? this.snapshots.length - 1 : Math.min(this.at, this.snapshots.length - 1));
    }

    private fillRuns(): void {
        setChoices(this.runSelect.select, this.runs.map((run, i) => ({ value: String(i), text: run.name })), String(this.run));
        this.runSelect.field.hidden = this.runs.length < 2;
        this.fillColours();
        this.slider.max = String(Math.max(0, this.snapshots.length - 1));
        this.slider.disabled = this.playButton.disabled = this.snapshots.length < 2;
        if (this.snapshots.length === 0) this.note.textContent = "There is no saved state of the specimen.";
        else this.describe(this.at < 0 ? this.snapshots.length - 1 : this.at);
    }

    /** A certificate is offered where a run has one. */
    private fillColours(): void {
        const certificate = this.runs.some((run) => run.stages.some((stage) => (ratesOf(stage)?.certificate.length ?? 0) > 0)) ? [{ value: "certificate", text: "certificate" }] : [];
        setChoices(this.colour.select, [
            { value: "size", text: "size" }, { value: "coordination", text: "number of contacts" }, { value: "force", text: "mean force" }, { value: "speed", text: "speed" }, ...certificate, { value: "none", text: "one colour" },
        ], this.drawing.colour);
        setChoices(this.chainColour.select, [{ value: "sliding", text: "sliding" }, { value: "force", text: "force" }, ...certificate], this.drawing.chainColour);
    }

    /** Of the state at the end of a stage of rates. */
    private certificateOf(snapshot: Snapshot): Pair[] {
        const stage = snapshot.latest || snapshot.within ? undefined : this.runs[this.run]?.stages.find((other) => other.name === snapshot.stage);
        return (stage && ratesOf(stage)?.certificate) ?? [];
    }

    private describe(at: number): void {
        const snapshot = this.snapshots[at];
        if (!snapshot) return;
        const when = snapshot.latest || snapshot.within ? "during" : "end of";
        const step = snapshot.step === null ? "" : `, step ${snapshot.step.toLocaleString("en-US")}`;
        const time = snapshot.time === null ? "" : `, ${withUnit(snapshot.time, "time", 3)}`;
        const part = this.state && this.state.bodies < this.state.total ? `; ${this.state.bodies.toLocaleString("en-US")} of ${this.state.total.toLocaleString("en-US")} grains` : "";
        const left = this.state?.walls?.leftOut ? `; walls left out because of their number of triangles: ${this.state.walls.leftOut}` : "";
        this.slider.value = String(at);
        this.caption.textContent = `${when} ${snapshot.stage}${step}${time}${part}${left}`;
        this.slider.setAttribute("aria-valuetext", this.caption.textContent);
    }

    private chooseRun(run: number): void {
        this.pause();
        this.view?.steady(false);
        this.run = run;
        this.chosen = -1;
        this.fillRuns();
        void this.load(this.snapshots.length - 1);
    }

    private choose(at: number): void {
        this.pause();
        this.following = at === this.snapshots.length - 1;
        void this.load(at);
    }

    /** One state after the other, from the first if the last is shown. Camera, scale and colours stay the same. */
    private async play(): Promise<void> {
        await this.start();
        const film = ++this.films, last = this.snapshots.length - 1;
        this.playing = film;
        this.playButton.textContent = "Pause";
        this.playButton.setAttribute("aria-label", "Pause");
        this.view?.steady(true);
        for (const snapshot of this.snapshots) if (isComplete(snapshot)) this.view?.survey(unpackState(snapshot));
        for (let at = this.at < last ? this.at + 1 : 0; this.playing === film && at <= last; at++) {
            this.following = at === last;
            await this.load(at);
            await new Promise((done) => setTimeout(done, pictureTime));
        }
        if (this.playing === film) this.pause();
    }

    private pause(): void {
        this.playing = 0;
        this.playButton.textContent = "Play";
        this.playButton.setAttribute("aria-label", "Play the film");
    }

    private async start(): Promise<void> {
        if (this.view || this.broken) return;
        try {
            this.view = new SpecimenView(this.scene, (body) => this.pick(body));
        } catch {
            this.broken = true;
            this.note.textContent = "This browser has no WebGL, so the specimen cannot be drawn. Everything else works, also the contacts of a grain by its number.";
        }
        Object.assign(this.scene, { view: this.view }); // for measurements
        await this.load(this.snapshots.length - 1);
    }

    private async load(at: number): Promise<void> {
        let snapshot = this.snapshots[at];
        if (!snapshot) return;
        this.at = at;
        try {
            if (!isComplete(snapshot) && this.fetchSnapshot && snapshot.number !== undefined) {
                const whole = { ...snapshot, ...(await this.fetchSnapshot(snapshot.number)) };
                if (this.at !== at) return; // another was chosen in the meantime
                snapshot = whole;
                this.snapshots[at] = whole;
            }
            if (!isComplete(snapshot)) throw new Error("it is not complete");
            const chosenId = this.state && this.chosen >= 0 ? this.state.id[this.chosen] : undefined;
            this.state = unpackState(snapshot, this.certificateOf(snapshot));
            this.chosen = chosenId === undefined ? -1 : this.state.id.indexOf(chosenId);
        } catch (error) {
            this.note.hidden = false;
            this.note.textContent = `The state cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
            return;
        }
        if (!this.broken) this.note.hidden = true;
        this.describe(at);
        this.apply();
        this.fillFigures(snapshot.figures ?? []);
        this.fillGrain();
    }

    /** Figures of the state that is shown; the cards stay from state to state. */
    private fillFigures(figures: Figure[]): void {
        this.figures.replaceChildren(...figures.map((figure) => {
            const spec = describedSpec(figure, []), card = this.cards.get(figure.name) ?? new ChartCard(spec, el("h4", {}, figure.title), figure.title);
            if (this.cards.has(figure.name)) card.set(spec, true);
            this.cards.set(figure.name, card);
            return card.element;
        }));
    }

    private apply(): void {
        if (this.wallsField) this.wallsField.hidden = !this.state?.walls;
        if (this.state) this.view?.set(this.state, this.drawing, this.chosen);
    }

    // ---- Controls ----

    private side(): HTMLElement {
        return el("div", { class: "side" }, this.showField(), this.viewField(), this.grainField());
    }

    private change(part: Partial<Drawing>): void {
        this.drawing = { ...this.drawing, ...part };
        this.apply();
    }

    private showField(): HTMLElement {
        const grains = checkField("Grains", this.drawing.grains, (on) => this.change({ grains: on }));
        const chains = checkField("Force chains", this.drawing.chains, (on) => this.change({ chains: on }));
        const cell = checkField("Cell", this.drawing.cell, (on) => this.change({ cell: on }));
        const walls = checkField("Walls", this.drawing.walls, (on) => this.change({ walls: on }));
        walls.field.hidden = true;
        this.wallsField = walls.field;
        const aboveText = el("output", {}, "1");
        const above = el("input", { type: "range", min: 0, max: 4, step: 0.1, value: this.drawing.above, id: newId("above"), oninput: () => {
            aboveText.textContent = above.value;
            this.change({ above: Number(above.value) });
        } });
        const slice = selectField("Slice along", [{ value: "-1", text: "none" }, { value: "0", text: "edge a" }, { value: "1", text: "edge b" }, { value: "2", text: "edge c" }], "-1", (value) => {
            from.disabled = to.disabled = value === "-1";
            this.change({ edge: Number(value) });
        });
        const end = (name: string, value: number, set: (value: number) => Partial<Drawing>) => {
            const input: HTMLInputElement = el("input", { type: "range", min: 0, max: 1, step: 0.02, value, "aria-label": `Slice ${name}`, disabled: true, oninput: () => this.change(set(Number(input.value))) });
            return input;
        };
        const from = end("from", 0, (value) => ({ from: value })), to = end("to", 1, (value) => ({ to: value }));
        return el("fieldset", {}, el("legend", {}, "Show"),
            el("div", { class: "controls" }, grains.field, chains.field, cell.field, walls.field),
            this.colour.field, this.chainColour.field,
            el("div", {}, el("label", { for: above.id, class: "check" }, "Chains above ", aboveText, " × mean force"), above),
            slice.field, el("div", { class: "controls" }, from, to));
    }

    private viewField(): HTMLElement {
        const look = (view: string, text: string) => button(text, () => {
            this.view?.viewer.look(view);
            this.view?.redraw();
        }, { "aria-label": `View ${text}` });
        const projection = selectField("Projection", [{ value: "parallel", text: "orthographic" }, { value: "perspective", text: "perspective" }], "parallel", (value) => {
            if (!this.view) return;
            this.view.viewer.parallel = value === "parallel";
            this.view.redraw();
        });
        const zoom = (factor: number) => {
            this.view?.viewer.nearer(factor);
            this.view?.redraw();
        };
        return el("fieldset", {}, el("legend", {}, "View"),
            el("div", { class: "tools" }, look("iso", "iso"), look("x", "x"), look("y", "y"), look("z", "z"), el("span", { class: "gap" }),
                button("+", () => zoom(1.2), { class: "square", "aria-label": "Come nearer" }), button("−", () => zoom(1 / 1.2), { class: "square", "aria-label": "Go further away" }),
                button("Reset", () => this.view?.reset()),
            button("Save PNG", () => this.view?.savePicture(`${this.runs[this.run]?.name ?? "specimen"}_${this.snapshots[this.at]?.stage ?? ""}`))),
            projection.field);
    }

    // ---- A grain ----

    private grainField(): HTMLElement {
        const step = (by: number) => {
            if (!this.state) return;
            const id = this.chosen < 0 ? (by > 0 ? -1 : this.state.total) : this.state.id[this.chosen]!;
            const ids = [...this.state.id].filter((other) => (by > 0 ? other > id : other < id));
            if (ids.length > 0) this.pickId(by > 0 ? ids.reduce((a, b) => Math.min(a, b)) : ids.reduce((a, b) => Math.max(a, b)));
        };
        return el("fieldset", {}, el("legend", {}, "Grain"),
            el("div", { class: "tools" }, el("label", { for: this.grainNumber.id, class: "check" }, "Number"), this.grainNumber,
                button("‹", () => step(-1), { class: "square", "aria-label": "Previous grain" }), button("›", () => step(1), { class: "square", "aria-label": "Next grain" }),
                button("None", () => this.pick(-1))),
            this.grain);
    }

    private pickId(id: number): void {
        void this.start().then(() => {
            const body = this.state?.id.indexOf(id) ?? -1;
            if (body < 0) {
                this.pick(-1);
                this.grain.replaceChildren(el("p", { class: "detail", role: "alert" }, `There is no grain ${id} here.`));
            } else this.pick(body);
        });
    }

    private pick(body: number): void {
        if (body === this.chosen && body < 0) return;
        this.chosen = body;
        this.apply();
        this.fillGrain();
        if (this.state && body >= 0) {
            const own = contactsOf(this.state, body), slides = own.filter((k) => this.state!.sliding[k] === 1).length;
            say(`Grain ${this.state.id[body]}, ${own.length} contacts, ${slides} of them sliding, mean force ${withUnit(this.state.meanForce[body]!, "force", 3)}`);
        }
    }

    private fillGrain(): void {
        const { state, chosen } = this;
        if (!state || chosen < 0) {
            this.grainNumber.value = "";
            this.grain.replaceChildren(el("p", { class: "detail" }, "Click a grain in the picture, or give its number."));
            return;
        }
        this.grainNumber.value = String(state.id[chosen]);
        const own = [...contactsOf(state, chosen)].sort((a, b) => state.force[b]! - state.force[a]!);
        const rows = own.map((k) => this.contactRow(state, chosen, k));
        const place = [0, 1, 2].map((a) => short(state.x[3 * chosen + a]! * 1e3, 4)).join(", ");
        this.grain.replaceChildren(
            el("p", { class: "detail" }, `Grain ${state.id[chosen]}: diameter ${withUnit(state.diameter[chosen]!, "length", 4)}, at ${place} mm, speed ${withUnit(state.speed[chosen]!, "speed", 3)}, ${own.length} contacts`),
            own.length === 0 ? el("p", {}, "It carries no force.")
                : tableBox("Contacts of the grain", ["With", "Force", "Normal", "Slides"], rows, { caption: `Contacts of grain ${state.id[chosen]}`, readOnly: true, class: "contacts" }));
    }

    private contactRow(state: State, body: number, k: number): HTMLElement {
        const other = state.p[k] === body ? state.q[k]! : state.p[k]!;
        const name = other === WALL ? "wall" : String(state.id[other]);
        const link = other === WALL ? "wall" : button(name, () => this.pick(other), { class: "link", "aria-label": `Grain ${name}` });
        return el("tr", {}, el("td", {}, link), el("td", { class: "figure" }, withUnit(state.force[k]!, "force", 4)),
            el("td", { class: "figure" }, withUnit(state.normal[k]!, "force", 4)), el("td", {}, state.sliding[k] ? "yes" : "no"));
    }
}
