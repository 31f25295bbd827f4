# syntax=docker/dockerfile:1
# One image for every role: `docker run estafet` serves, `docker run estafet <command>` is the command line.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package's own scripts: nothing here needs one, and none gets to run.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
# Sources, and the documents that become pages: .dockerignore says what that is.
COPY . .
RUN npm run build

FROM node:${NODE_VERSION}-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The optional ones are the embedded Postgres, which is for laptops: here DATABASE_URL names a real one.
# Source maps and type declarations are two fifths of what is left, and nothing reads them.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && \
    find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:${NODE_VERSION}-bookworm-slim
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Estafet" \
      org.opencontainers.image.description="Self-hosted, multi-tenant gateway for Meta's WhatsApp Cloud API" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
# The folder is made here so that a new volume mounted over it belongs to the same user.
RUN groupadd --gid 10001 estafet && \
    useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin estafet && \
    install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/estafet
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY migrations migrations
# The simulated Meta's pages and scenarios; its code is in dist.
COPY simulator simulator
COPY scripts/healthcheck.mjs scripts/healthcheck.mjs
ENV NODE_ENV=production \
    DATA_DIR=/var/lib/estafet
# By number, so that a platform can see that it is not root.
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
ENTRYPOINT ["node", "dist/src/cli.js"]
CMD ["start"]
