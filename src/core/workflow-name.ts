/** Layers that have names: the executor, and what plans are made of. */
export type WorkflowLayer = 'executor' | 'tool' | 'capability' | 'usecase' | 'trigger';

const NAME = /^so\.[a-z]+\.[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** `so.<layer>.<name>` (plan-executor.md, naming): the name of a workflow wherever one is shown; `writ.file` → `so.tool.writ-file`. */
export function workflowName(layer: WorkflowLayer, ref: string): string {
  const name = ref
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `so.${layer}.${name === '' ? 'unnamed' : name}`;
}

export function isWorkflowName(name: string): boolean {
  return NAME.test(name);
}
