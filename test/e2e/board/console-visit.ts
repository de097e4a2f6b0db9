import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong on the page as it is shown now. It is run beside the page's own policy, which allows no script at all. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const run = `(async () => { ${axe.source}; return (await axe.run(document, { resultTypes: ['violations'] })).violations; })()`;
  const found = (await page.evaluate(run)) as readonly Finding[];
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`));
}

/** Looks at the page as it is, in dark and in light. */
export async function axeFindingsInBoth(page: Page, looked: (colorScheme: 'dark' | 'light') => Promise<unknown>): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    findings.push(...(await axeFindings(page)));
    await looked(colorScheme);
  }
  return findings;
}
