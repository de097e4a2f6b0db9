# One image for all roles: `init`, `kernel`, `worker`, `index-host`, `api` are arguments.
# The version of the base is pinned; raise it for its security updates (docs/security.md).
ARG NODE=24.21.0-bookworm-slim

FROM node:${NODE} AS build
# Native addons (libsodium, koffi) are compiled where no prebuilt one fits.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# SQLite comes compiled for this Node (src/adapters/sqlite/driver.ts); the script of onnxruntime-node would fetch binaries for graphics cards.
ENV ONNXRUNTIME_NODE_INSTALL=skip
RUN npm ci --ignore-scripts && npm rebuild esbuild koffi msgpackr-extract
COPY . .
# Tracing, the screen, CSV and Parquet are in the image; whoever installs the package chooses them (docs/operations.md).
RUN scripts/build && node scripts/keep-optional.js && npm prune --omit=dev --ignore-scripts
# A third of it no process reads: sources and objects of SQLite, addons for other systems, maps, types, readmes (253 MB become 167).
RUN rm -rf node_modules/better-sqlite3 node_modules/better-sqlite3-13/deps node_modules/better-sqlite3-13/src \
  && find node_modules/better-sqlite3-13/prebuilds -mindepth 1 -maxdepth 1 ! -name 'linux-*' -exec rm -rf {} + \
  && find node_modules/sodium-native/prebuilds -mindepth 1 -maxdepth 1 ! -name 'linux-*' -exec rm -rf {} + \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete \
  && find dist -type f \( -name '*.map' -o -name '*.d.ts' \) -delete

FROM node:${NODE}
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16 WRIT_DATA_DIR=/data
# The data directory admits its owner alone; a new volume takes owner and mode from here.
RUN groupadd --gid 10001 writ && useradd --uid 10001 --gid writ --no-create-home --shell /usr/sbin/nologin writ \
  && install -d -o writ -g writ -m 0700 /data && install -d -o writ -g writ -m 0750 /srv/files
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/config ./config
COPY --from=build /app/registries ./registries
COPY --from=build /app/docs/runbooks ./docs/runbooks
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist/config ./dist/config
COPY --from=build /app/dist/processors ./dist/processors
COPY --from=build /app/dist/queues ./dist/queues
COPY --from=build /app/dist/src ./dist/src
USER 10001:10001
ENTRYPOINT ["node", "/app/dist/src/bin/writ.js"]
CMD ["--help"]
