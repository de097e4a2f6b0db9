/** What happened in a history, in words; kept only when somebody wants to read it. */
export class Trace {
  readonly lines: string[] = [];
  readonly #on: boolean;
  constructor(on: boolean) {
    this.#on = on;
  }
  say(at: number, who: string, what: string): void {
    if (this.#on) this.lines.push(`${at.toFixed(1).padStart(9)} ms  ${who}: ${what}`);
  }
}
