# A worker of `turnwise eval --queue`. Build it from the root of the repository: docker build --tag turnwise-worker .
FROM node:24-slim AS build
WORKDIR /turnwise
COPY package.json package-lock.json ./
RUN npm ci
COPY esbuild.mjs tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY webview webview
RUN npm run build

FROM node:24-slim
WORKDIR /turnwise
COPY --from=build /turnwise/package.json ./
COPY --from=build /turnwise/dist dist
COPY LICENSE ./
ENV NODE_ENV=production TURNWISE_HOME=/tmp/turnwise
# The database is TURNWISE_QUEUE, keys of models are OPENAI_API_KEY or TURNWISE_API_KEY, their hosts TURNWISE_TRUSTED_HOSTS.
USER node
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["worker"]
