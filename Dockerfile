# One image for all roles: `init`, `kernel`, `worker`, `api` are arguments.
FROM node:22-bookworm-slim AS build
# Native addons (SQLite, libsodium) are compiled where no prebuilt one fits.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN scripts/build && npm prune --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16 WRIT_DATA_DIR=/data
# The data directory admits its owner alone; a new volume takes owner and mode from here.
RUN groupadd --gid 10001 writ && useradd --uid 10001 --gid writ --no-create-home --shell /usr/sbin/nologin writ \
  && install -d -o writ -g writ -m 0700 /data && install -d -o writ -g writ -m 0750 /srv/files
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/config ./config
COPY --from=build /app/registries ./registries
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER 10001:10001
ENTRYPOINT ["node", "/app/dist/src/bin/writ.js"]
CMD ["--help"]
