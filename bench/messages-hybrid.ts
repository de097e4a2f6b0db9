import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OpenSuite, Suite } from './contract.ts';
import { createFigures } from './messages/figures.ts';
import { mailboxesIn } from './messages-hybrid/mailboxes.ts';
import { measureModes } from './messages-hybrid/modes.ts';
import { tantivyCases } from './messages-hybrid/tantivy.ts';
import { vectorCases } from './messages-hybrid/vectors.ts';

/** The engines of message search beside FTS5, each against the bare library that it is made of. */
export const suite: Suite = {
  what: 'Tantivy and vectors in agent mail against the bare libraries',
  async open({ data, keep, scale }): Promise<OpenSuite> {
    const home = data ?? mkdtempSync(path.join(tmpdir(), 'writ-bench-hybrid-'));
    mkdirSync(home, { recursive: true });
    const figures = createFigures();
    const mailboxes = mailboxesIn(home, scale);
    const closers: (() => void)[] = [];
    return {
      cases: [...vectorCases(scale, figures), ...tantivyCases({ home, mailboxes, figures, closers })],
      async metrics() {
        for (const mailbox of mailboxes) await measureModes(mailbox, figures);
        return figures.metrics();
      },
      async close() {
        for (const close of closers) close();
        if (!keep) rmSync(home, { recursive: true, force: true });
      },
    };
  },
};
