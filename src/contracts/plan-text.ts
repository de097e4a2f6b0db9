import { z } from 'zod';

/** A string of 1 to `max` code points; a pattern, because JSON Schema counts code points where zod's `max` counts UTF-16 units. */
export const text = (max: number) => z.string().regex(new RegExp(`^[\\s\\S]{1,${max}}$`, 'u'), `must be a string of 1 to ${max} characters`);

/** An object that the contract leaves open. */
export const AnyObject = z.record(z.string(), z.unknown());

/** The name under which a step, a registry and a tool call know a definition. */
export const Ref = text(128);

/** An error as tools answer it and as results carry it. */
export const PlanError = z.strictObject({ code: text(128), message: text(4096), details: AnyObject.nullable().optional() });
export type PlanError = z.infer<typeof PlanError>;
