# docker build -t assay .
# docker run --rm -v "$PWD:/data" assay compare -m chrf --mt online.de --mt ours.de --ref ref.de
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
# With extras: docker build --build-arg EXTRAS=ja,ko,spm -t assay .
ARG EXTRAS=
RUN python -m venv /opt/assay \
    && /opt/assay/bin/pip install --no-cache-dir /source/packages/mini "/source${EXTRAS:+[$EXTRAS]}"

FROM python:3.13-slim
COPY --from=build /opt/assay /opt/assay
ENV PATH=/opt/assay/bin:$PATH XDG_CACHE_HOME=/tmp/cache
RUN useradd --create-home assay
USER assay
WORKDIR /data
ENTRYPOINT ["assay"]
CMD ["--help"]
