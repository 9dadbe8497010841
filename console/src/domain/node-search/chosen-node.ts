export interface ChosenNode {
  /** Object id: UUID, or the name of a special node. */
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly type: string;
}
