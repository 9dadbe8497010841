/** Something that may be done along with it; `details` say what it consists of. */
export interface QuestionOption {
  readonly value: string;
  readonly label: string;
  readonly details?: readonly string[];
}

export interface Question {
  /** The question itself, with object name or count: “Terminate 3 sessions?” */
  readonly title: string;
  /** What happens to whom. */
  readonly effect?: string;
  /** The first names of what is affected. */
  readonly names?: readonly string[];
  /** How many are affected, when not all of their names are known. */
  readonly total?: number;
  /** Repeats the verb: “Terminate 3 sessions”. Default: “Confirm”. */
  readonly confirmLabel?: string;
  readonly cancelLabel?: string;
  /** Shows the warning sign, and the confirm button in the colour of danger. */
  readonly danger?: boolean;
  /** What the person may choose as well; nothing is chosen beforehand. */
  readonly options?: readonly QuestionOption[];
  /** Runs on confirmation while the dialog shows progress; a rejection leaves the dialog open. */
  readonly run?: (chosen: readonly string[]) => Promise<unknown>;
}

export interface Asked extends Question {
  readonly answer: (yes: boolean) => void;
}
