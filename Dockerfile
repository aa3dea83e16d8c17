# Builds madang and runs it as a user without rights. It needs nothing but its volume: run it with a root that is read-only and
# without capabilities, as docker-compose.yml does.
# Pin the bases, so that a build today and one next year start from the same: docs/host.md says how.
ARG SWIFT_IMAGE=swift:6.2-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim
FROM $SWIFT_IMAGE AS build
RUN apt-get update && apt-get install -y --no-install-recommends libargon2-dev libpq-dev libsqlite3-dev zlib1g-dev pkg-config \
  binutils ca-certificates dpkg-dev python3 tzdata umoci xz-utils \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY packaging/versions.json Package.resolved
RUN swift package resolve
COPY Sources Sources
COPY Tests Tests
COPY Examples Examples
COPY migrations migrations
COPY openapi openapi
COPY packaging packaging
COPY proxies proxies
COPY docs docs
COPY CHANGELOG.md ./
COPY SECURITY.md ./
COPY LICENSE ./
COPY Scripts/release Scripts/release
COPY Scripts/versions Scripts/versions
COPY Scripts/dist Scripts/dist
ARG SOURCE_DATE_EPOCH=0
RUN Scripts/dist && mkdir /out && tar -C /out --strip-components=1 -xf dist/*.tar.xz

FROM $DEBIAN_IMAGE
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl libargon2-1 libpq5 libsqlite3-0 tzdata \
  zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --no-create-home --home-dir /var/lib/madang madang \
  && install -d -o madang -m 700 /var/lib/madang
COPY --from=build /out/bin/ /usr/local/bin/
COPY --from=build /out/lib/ /usr/local/lib/
USER madang
WORKDIR /var/lib/madang
VOLUME /var/lib/madang
ENV MADANG_HOST=0.0.0.0 MADANG_PORT=8080 MADANG_DATA=/var/lib/madang
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD curl --fail --silent http://127.0.0.1:8080/livez || exit 1
STOPSIGNAL SIGTERM
ENTRYPOINT ["madang"]
CMD ["serve"]
