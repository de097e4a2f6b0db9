import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Counts } from './counts.ts';
import { brief, contentOf } from './expectations.ts';
import type { Ticket } from './tickets.ts';

/** The effect that one task shall have, exactly once. */
export interface Effect {
  readonly ticket: Ticket;
  /** Base directory of the source: its vault may hold the content. */
  readonly base: string;
  readonly source: string;
  /** Where the content ends; for a delete the places in the vault that its attempts may take. */
  readonly targets: readonly string[];
  readonly content: string;
  /** A copy leaves its source. */
  readonly keepsSource: boolean;
  /** The source lies in a vault, where nobody else may put a file. */
  readonly fromVault: boolean;
  /** The target lies in a vault. */
  readonly toVault: boolean;
  /** Which points the task passes. */
  readonly passes: 'rename' | 'copy' | 'move across';
}

export function idOf({ ticket }: Effect): string {
  return ticket.manifest.task_id;
}

/** The target that holds the content. */
export function landedAt({ targets, content }: Effect): string | undefined {
  return targets.find((target) => contentOf(target) === content);
}

/** Whether the effect can be seen: the content stands at its target, and is gone from its source unless that stays. */
export function isVisible(effect: Effect): boolean {
  return landedAt(effect) !== undefined && (effect.keepsSource || contentOf(effect.source) !== effect.content);
}

/** A destination shows nothing, or the whole content, or somebody else's whole file. */
export function lookForPartial(effect: Effect, others: ReadonlySet<string>, counts: Counts): void {
  for (const target of effect.targets) {
    const found = contentOf(target);
    if (found !== undefined && found !== effect.content && !others.has(found)) counts.violation('partial', `${idOf(effect)}: ${target} shows ${brief(found)}`);
  }
}

/** Whether the content still exists anywhere that the model knows: bytes must never vanish. */
export function existsSomewhere({ source, targets, base, content }: Effect): boolean {
  if ([source, ...targets].some((file) => contentOf(file) === content)) return true;
  const vault = path.join(base, '.writ-vault');
  return readdirSync(vault).some((name) => contentOf(path.join(vault, name)) === content);
}
