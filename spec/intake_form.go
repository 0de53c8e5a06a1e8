package spec

// IntakeForm is the form to fill in: every field that the kind has, with what belongs
// there. What is empty must be filled in before validate accepts it; 0 is not known.
const IntakeForm = `# What must be known before performance work begins. Fill in what is empty; 0 means
# that it is not known. assay validate FILE says what is missing.
apiVersion: assay.dev/v1alpha1
kind: PerformanceIntake
metadata:
  name:                      # of this request
spec:
  objective:
    primaryKPI:              # the one number that counts, such as tokens_per_second
    secondaryKPIs: []
  benchmark:
    layer:                   # micro, component or end_to_end
    grade:                   # publication or realism
    variableUnderTest:       # the one that will differ: hardware_generation, runtime_version, scheduler_path,
                             # control_plane_path, driver_stack, network_topology or storage_stack
  workload:
    type:                    # training, inference or mixed
    model:
    sequenceLength: {p50: 0, p95: 0, max: 0}
    batchShape: {p50: 0, p95: 0, max: 0}
    constraints: []          # what may not be changed
  slos:
    latencyP50Ms: 0
    latencyP95Ms: 0
    latencyP99Ms: 0
    availability: 0          # such as 0.999
    costBudget: ""
  environment:
    hardware:
      gpu:                   # such as 8 x H200; none where there is none
      cpu: ""
      ramGB: 0
      storage: ""
      interconnect: ""
      topology: ""
    software: {}             # {os: …, kernel: …, driver: …, cuda: …, pytorch: …, nccl: …}
    dataPipeline: []
  currentBaseline:
    timeToTrainHours: 0
    mfuPercent: 0
    scalingEfficiencyPercent: 0
    tokensPerSecond: 0
    ttftMs: 0
    p50Ms: 0
    p99Ms: 0
    jitterCVPercent: 0
    gpuUtilPercent: 0
    memoryBandwidthPercent: 0
    nicGbps: 0
    goodputPercent: 0
    costPerTokenUSD: 0
    costPerRequestUSD: 0
  knownIssues: []            # and what is suspected
  riskGuardrails:
    correctnessTests: []
    changeWindows: []
`
