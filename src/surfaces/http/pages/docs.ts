import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../openapi/document.ts';

/**
 * `/docs`: the document for people, with everything from this server (no network, no inline script). It is open like the
 * document itself: what the interface looks like is no secret.
 */
export async function registerDocs(app: FastifyInstance, document: OpenApiDocument): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' };
    });
    await scope.register(swagger, { mode: 'static', specification: { document: document as StaticDocumentSpec['document'] } });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      theme: { title: 'Writ: HTTP API' },
      uiConfig: { layout: 'BaseLayout', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0, tryItOutEnabled: false },
    });
  });
}
