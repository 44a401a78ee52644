import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.Util;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.ProcessingGuarantee;
import com.hazelcast.jet.core.JobStatus;
import com.hazelcast.jet.impl.JobExecutionRecord;
import com.hazelcast.jet.impl.JobRepository;
import com.hazelcast.jet.pipeline.Pipeline;
import com.hazelcast.jet.pipeline.Sinks;
import com.hazelcast.jet.pipeline.test.TestSources;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Jobs that take snapshots, with -Dgridproof.runs.jobs=true; their records are read from the member's own memory. */
final class HazelcastJobs implements Extra {
    private final Supplier<HazelcastInstance> hz;

    HazelcastJobs(Supplier<HazelcastInstance> hz) {
        this.hz = hz;
    }

    @Override
    public void configure(Config config) {
        config.getJetConfig().setEnabled(Boolean.getBoolean("gridproof.runs.jobs"));
    }

    @Override
    public void offer(Map<String, Agent.Verb> verbs) {
        verbs.put("start_job", this::start);
        verbs.put("job_record", q -> Agent.fields("record", held(job(q)).get()));
        verbs.put("job_status", q -> status(hz.get().getJet().getJob(job(q))));
    }

    private static long job(Map<String, Object> q) {
        return Util.idFromString(Agent.text(q, "job"));
    }

    private int partitionOf(long job) {
        return hz.get().getPartitionService().getPartition(job).getPartitionId();
    }

    /** Submit endless jobs until one has its record in a wanted partition; cancel the others. */
    private Map<String, Object> start(Map<String, Object> q) {
        List<Integer> wanted = Agent.numbers(q, "partitions", 0);
        JobConfig config = new JobConfig().setProcessingGuarantee(ProcessingGuarantee.EXACTLY_ONCE)
                .setSnapshotIntervalMillis(Agent.number(q, "interval_ms"));
        for (;;) {
            Pipeline pipeline = Pipeline.create();
            pipeline.readFrom(TestSources.itemStream(10)).withoutTimestamps().writeTo(Sinks.noop());
            Job job = hz.get().getJet().newJob(pipeline, config);
            int partition = partitionOf(job.getId());
            if (wanted.contains(partition)) {
                return Agent.fields("job", job.getIdString(), "partition", partition);
            }
            job.cancel();
        }
    }

    private CompletableFuture<Map<String, Object>> held(long job) {
        HazelcastMemory memory = new HazelcastMemory(hz.get(), JobRepository.JOB_EXECUTION_RECORDS_MAP_NAME);
        CompletableFuture<Map<String, Object>> found = new CompletableFuture<>();
        memory.inThreadOf(partitionOf(job), () -> found.complete(memory.entries(partitionOf(job)).values().stream()
                .map(JobExecutionRecord.class::cast).filter(one -> one.getJobId() == job).findFirst()
                .map(one -> Agent.fields("recorded", one.snapshotId(), "ongoing", one.ongoingSnapshotId()))
                .orElse(null)));
        return found;
    }

    /** The job's status as its coordinator says, and for a failed job the first line of the reason. */
    private static Map<String, Object> status(Job job) {
        JobStatus status = job.getStatus();
        String why = status != JobStatus.FAILED ? null
                : job.getFuture().handle((none, error) -> error.toString().lines().findFirst().get()).join();
        return Agent.fields("status", status.name(), "why", why);
    }
}
