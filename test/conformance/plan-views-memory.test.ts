import { describe } from 'vitest';
import { createMemoryChannels } from '../../src/adapters/memory/signals.ts';
import { PlanViewsTwin } from '../simulation/twins/plan-views.ts';
import { planViewsConformance } from './plan-views.ts';

describe('plan views of the simulation', () => {
  const views = new PlanViewsTwin(createMemoryChannels()).port();
  planViewsConformance(() => views);
});
