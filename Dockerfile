# Frame Oracle on the CPU, as an ordinary user. Weights are data: mount a folder at /models, or run `frame-oracle models get` once.
FROM debian:13-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY locks ./locks
RUN python3 -m venv /opt/oracle \
 && /opt/oracle/bin/pip install --no-cache-dir --require-hashes -r locks/uv.txt \
 && /opt/oracle/bin/uv pip install --no-cache --python /opt/oracle/bin/python --compile-bytecode --require-hashes -r locks/runtime.txt
COPY . .
RUN /opt/oracle/bin/uv pip install --no-cache --python /opt/oracle/bin/python --compile-bytecode --no-deps .

FROM debian:13-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    python3 ffmpeg libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fontconfig \
    fonts-dejavu-core fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 oracle \
 && install -d -o oracle -g oracle /models /cache /reports
COPY --from=build /opt/oracle /opt/oracle
ENV PATH=/opt/oracle/bin:$PATH FRAME_ORACLE_MODELS=/models FRAME_ORACLE_CACHE=/cache DO_NOT_TRACK=1
USER 10001
WORKDIR /home/oracle
VOLUME ["/models", "/cache", "/reports"]
ENTRYPOINT ["frame-oracle"]
CMD ["--help"]
