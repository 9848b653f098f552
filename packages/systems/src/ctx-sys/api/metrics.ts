/** The five metrics of the document, for the process that saves. */
export interface CheckpointMetrics {
  readonly checkpoint_save_count: number;
  readonly checkpoint_resume_count: number;
  /** Mean of the states' bytes as JSON. */
  readonly checkpoint_save_size_bytes: number;
  /** Mean, in milliseconds. */
  readonly checkpoint_save_latency_ms: number;
  /** Steps that were not run again. */
  readonly steps_recovered: number;
}

export class MetricsCounter {
  #saves = 0;
  #bytes = 0;
  #latencyMs = 0;
  #resumes = 0;
  #recovered = 0;

  saved(bytes: number, latencyMs: number): void {
    this.#saves++;
    this.#bytes += bytes;
    this.#latencyMs += latencyMs;
  }

  resumed(stepsRecovered: number): void {
    this.#resumes++;
    this.#recovered += stepsRecovered;
  }

  read(): CheckpointMetrics {
    const mean = (sum: number): number => (this.#saves === 0 ? 0 : sum / this.#saves);
    return {
      checkpoint_save_count: this.#saves,
      checkpoint_resume_count: this.#resumes,
      checkpoint_save_size_bytes: mean(this.#bytes),
      checkpoint_save_latency_ms: mean(this.#latencyMs),
      steps_recovered: this.#recovered,
    };
  }
}
