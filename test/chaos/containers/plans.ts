import type { Api } from './api.ts';
import { createFiles } from './counted-moves.ts';

/** A plan of moves that is under way. */
export interface StartedPlan {
  /** Steps whose file has come to its place, as the volume shows them. */
  stepsDone(): number;
  /** Whether each step was done, once, and the answer says so. */
  readonly done: Promise<boolean>;
}

/** Pushes a plan of as many moves and sees it through. */
export function startPlan(api: Api, volume: string, name: string, steps: number): StartedPlan {
  const files = createFiles(volume, name);
  const all = Array.from({ length: steps }, (_, at) => at);
  for (const at of all) files.write(`${at}.src`, `plan ${at}`);
  const moves = all.map((at) => ({
    type: 'capability',
    ref: 'file.item.move',
    params: { source_path: files.inside(`${at}.src`), destination_path: files.inside(`${at}.dst`) },
  }));
  const isMoved = (at: number): boolean => files.read(`${at}.src`) === undefined && files.read(`${at}.dst`) === `plan ${at}`;
  const seen = (text: string, isRight: boolean): boolean => {
    if (!isRight) process.stderr.write(`the plan ${name}: ${text}\n`);
    return isRight;
  };
  return {
    stepsDone: () => all.filter(isMoved).length,
    // A rejection that nobody waits for yet would end the suite beside its engine: what is wrong is said, and is no.
    done: api.finishPlan({ context: { memory: { session_id: name, state: {} } }, input: { steps: moves } }).then(
      ({ body }) => seen(JSON.stringify(body), body['state'] === 'success' && body['steps_done'] === steps && all.every(isMoved)),
      (error: unknown) => seen(String(error), false),
    ),
  };
}
