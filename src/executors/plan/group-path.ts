import type { StepType } from '../../contracts/index.ts';

const PREFIX = { tool: '', capability: 'cap.', usecase: 'uc.' } as const satisfies Record<StepType, string>;

/** Where the paths of a group's steps begin: `0/uc.client.onboarding.run/`. */
export function groupPrefix(path: string, { type, ref }: { readonly type: StepType; readonly ref: string }): string {
  return `${path}/${PREFIX[type]}${ref}/`;
}
