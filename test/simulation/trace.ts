/** What happened in a history, in words; kept only when somebody wants to read it. */
export class Trace {
  readonly lines: string[] = [];
  readonly isOn: boolean;
  constructor(isOn: boolean) {
    this.isOn = isOn;
  }
  say(at: number, who: string, what: string): void {
    if (this.isOn) this.lines.push(`${at.toFixed(1).padStart(9)} ms  ${who}: ${what}`);
  }
}
