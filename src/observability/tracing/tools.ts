import type { BoundTool, PreparedRequest } from '../../core/ports/index.ts';
import type { Tracer } from './tracer.ts';

/**
 * Tools with a span around each request that leaves; the very same tools when tracing is off.
 *
 * @param propagate whether the tool is told the context of the span (`traceparent`)
 */
export function traceTools(tools: ReadonlyMap<string, BoundTool>, tracer: Tracer | undefined, propagate: boolean): ReadonlyMap<string, BoundTool> {
  if (tracer === undefined) return tools;
  return new Map([...tools].map(([ref, tool]) => [ref, traced(ref, tool, tracer, propagate)]));
}

function traced(ref: string, tool: BoundTool, tracer: Tracer, propagate: boolean): BoundTool {
  return {
    ...tool,
    adapter: {
      async prepare(request, signal): Promise<PreparedRequest> {
        const prepared = await tool.adapter.prepare(request, signal);
        if (prepared.kind !== 'ready') return prepared;
        const attributes = { 'writ.tool': ref, 'writ.operation': request.operation };
        return {
          kind: 'ready',
          send: (stop) =>
            tracer.span('tool', { attributes }, async (span) => {
              const answer = await prepared.send(stop, propagate ? span.traceparent : undefined);
              span.set({ 'writ.answer': answer.kind });
              // Whether this is a TOOL_FAILED or an unknown outcome is the executor's to say.
              if (answer.kind !== 'ok') span.fail(answer.kind);
              return answer;
            }),
        };
      },
    },
  };
}
