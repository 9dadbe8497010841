/** The part of a row of `terminal/commands/` that every list of commands shows. */
export interface CommandRow {
  readonly id: string;
  readonly input: string;
  readonly output: string;
  readonly kind: 'echo' | 'typed' | 'alt' | 'hidden' | 'unknown' | 'exec';
  readonly kind_display: string;
  readonly risk_level: number;
  readonly offset_ms: number;
  readonly timestamp: number;
  /** What a command filter decided; "" without a decision. */
  readonly decision: '' | 'allow' | 'confirm' | 'deny';
  readonly decision_filter: string;
  /** Whether something is hidden in `input` or `output` because it looks like a secret. */
  readonly has_secrets: boolean;
}

/** Whether a command filter prevented the command. */
export function isRefused(command: CommandRow): boolean {
  return command.decision === 'deny' || command.decision === 'confirm';
}
