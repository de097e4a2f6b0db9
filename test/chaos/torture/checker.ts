import { judgeApprovals } from './check/approvals.ts';
import { judgeEnds } from './check/ends.ts';
import { judgeFiles } from './check/files.ts';
import { judgeFirings } from './check/firings.ts';
import { judgeLater } from './check/later.ts';
import { judgeNotices } from './check/notices.ts';
import { judgeRequests } from './check/requests.ts';
import { judgeSearches } from './check/searches.ts';
import { judgeUndos } from './check/undos.ts';
import type { Model } from './model.ts';
import type { World } from './world.ts';

/** Everything in which the world contradicts what was asked: one sentence each. Pure. */
export type Judge = (model: Model, world: World) => readonly string[];

/** What is judged, by name. */
export const JUDGES = {
  ends: judgeEnds,
  files: judgeFiles,
  later: judgeLater,
  requests: judgeRequests,
  firings: judgeFirings,
  approvals: judgeApprovals,
  undos: judgeUndos,
  notices: judgeNotices,
  searches: judgeSearches,
} satisfies Record<string, Judge>;

export function judge(model: Model, world: World): readonly string[] {
  return Object.entries(JUDGES).flatMap(([name, one]) => one(model, world).map((what) => `${name}: ${what}`));
}
