import { sameLine, type ScrollPosition, type Source } from "./viewport.ts";

/** The line at the top of the screen, which stays there when a new width rewraps the lines. */
export class KeptPlace {
  place: ScrollPosition = null;
  /** The lines of its item at the width at which it was set. */
  #placed: { width: number; lines: readonly string[] } = { width: 0, lines: [] };

  set(place: ScrollPosition, source: Source, width: number): void {
    this.place = place;
    this.#placed = { width, lines: place === null ? [] : source.lines(place.item) };
  }

  rewrap(source: Source, width: number): void {
    const { place } = this;
    if (place === null || this.#placed.width === width) return;
    const line = sameLine(this.#placed.lines, place.line, source.lines(place.item));
    this.set({ item: place.item, line }, source, width);
  }
}
