/** A refusal in the API's own form: status, type and message. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly type: string;
  readonly details: { error_code: string } | undefined;

  constructor(status: number, type: string, message: string, errorCode?: string) {
    super(message);
    this.status = status;
    this.type = type;
    this.details = errorCode === undefined ? undefined : { error_code: errorCode };
  }

  body(requestId: string): object {
    const { type, message, details } = this;
    return {
      type: "error",
      error: { type, message, ...(details && { details }) },
      request_id: requestId,
    };
  }
}

/** With status 400. */
export const invalid = (message: string, errorCode?: string): Refusal =>
  new Refusal(400, "invalid_request_error", message, errorCode);
