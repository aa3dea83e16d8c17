# Builds madang and runs it as a user without rights.
FROM swift:6.2-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libargon2-dev libpq-dev libsqlite3-dev zlib1g-dev pkg-config \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
COPY Tests Tests
COPY Examples Examples
COPY migrations migrations
COPY openapi openapi
COPY Scripts/release Scripts/release
RUN program=$(Scripts/release madang) && install -D -t /out "$program" "${program%/*}/swift-backtrace"

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl libargon2-1 libpq5 libsqlite3-0 tzdata \
  zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --no-create-home --home-dir /var/lib/madang madang \
  && install -d -o madang -m 700 /var/lib/madang
COPY --from=build /out/ /usr/local/bin/
USER madang
WORKDIR /var/lib/madang
VOLUME /var/lib/madang
ENV MADANG_HOST=0.0.0.0 MADANG_PORT=8080 MADANG_DATA=/var/lib/madang
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD curl --fail --silent http://127.0.0.1:8080/readyz || exit 1
STOPSIGNAL SIGTERM
ENTRYPOINT ["madang"]
CMD ["serve"]
