/** A form that the user fills in, for a program that asks for more than yes or no. */

export type FormField = { name: string; label: string; isRequired: boolean } & (
  | { kind: "text" }
  | { kind: "number"; isInteger: boolean }
  | { kind: "yes-no" }
  | { kind: "choice"; options: readonly { value: string; label: string }[] }
);

export type FormValues = { [field: string]: string | number | boolean };

/** The value that a text stands for; null: the field does not take it. */
export function findValue(field: FormField, text: string): FormValues[string] | null {
  switch (field.kind) {
    case "text":
      return text;
    case "number": {
      const number = text.trim() === "" ? Number.NaN : Number(text);
      const isRight = field.isInteger ? Number.isSafeInteger(number) : Number.isFinite(number);
      return isRight ? number : null;
    }
    case "yes-no":
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : null;
    case "choice":
      return field.options.find(({ value }) => value === text)?.value ?? null;
    default:
      return field satisfies never;
  }
}

/** The fields that must be filled in and are not. */
export const listMissing = (fields: readonly FormField[], values: FormValues): FormField[] =>
  fields.filter(({ name, isRequired }) => isRequired && values[name] === undefined);
