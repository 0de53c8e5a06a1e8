# A static binary on an empty image; nothing is pulled. make image builds what is
# copied here with the Go of this machine, and then this image:
#
#   make image
#   docker run --rm --network host -v "$PWD:/work" assay run run.yaml
#
# NVML needs dlopen, which a static binary has not: from a container GPUs are read
# from the metrics page of the server or of an exporter (spec.target.metrics.urls).
FROM scratch
COPY bin/image/ /
ENV PATH=/usr/local/bin HOME=/work
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/assay"]
CMD ["--help"]
