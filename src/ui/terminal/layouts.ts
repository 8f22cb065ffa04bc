/** Shortcuts on keyboards of other scripts: the Latin letter at the same place of a US keyboard. */

const usKeys = "qwertyuiop[]asdfghjkl;'zxcvbnm,./`";

/**
 * What those keys type, in the order of `usKeys`; a space: nothing that tells the key. Where two
 * layouts of a script disagree, the earlier row wins.
 */
const layouts: readonly string[] = [
  "йцукенгшщзхъфывапролджэячсмитьбю.ё", // Russian
  "йцукенгшщзхїфівапролджєячсмитьбю.ґ", // Ukrainian
  "йцукенгшўзх фывапролджэячсмітьбю.ё", // Belarusian
  "љњертзуиопшђасдфгхјклчћѕџцвбнм,.  ", // Serbian and Macedonian, where it is theirs alone
  "ґ          ѓ          ќ           ",
  " ςερτυθιοπ  ασδφγηξκλ  ζχψωβνμ    ", // Greek
  "  קראטוןםפ  שדגכעיחלךף זסבהנמצתץ  ", // Hebrew
  "        خحجچ           ظطزرذد     ", // Persian, before Arabic where it has the letter
  "ضصثقفغعهخحجدشسيبلاتنمكطئءؤر ىةوزظذ", // Arabic
  "            شسی      کگ      ئ    ",
  "ๆไำพะัีรนยบลฟหกดเ้่าสวงผปแอิืทมใฝ ", // Thai
  "ქწერტყუიოპ  ასდფგჰჯკლ  ზხცვბნმ    ", // Georgian
  "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ  ㅁㄴㅇㄹㅎㅗㅓㅏㅣ  ㅋㅌㅊㅍㅠㅜㅡ    ", // Korean
  "ㄆㄊㄍㄐㄔㄗㄧㄛㄟㄣ  ㄇㄋㄎㄑㄕㄘㄨㄜㄠㄤ ㄈㄌㄏㄒㄖㄙㄩㄝㄡㄥ ", // Bopomofo
  "ौैाीूबहगदजड ोे्िुपरकतचटॆंमनवलस,.य ", // Hindi
];

const places = new Map<string, string>();
for (const layout of layouts) {
  for (const [index, character] of [...layout].entries()) {
    const key = usKeys[index];
    if (key !== undefined && character > "\x7f" && !places.has(character))
      places.set(character, key);
  }
}

/** A letter that no shortcut names. */
const otherLetter = /^(?!\p{Script=Latin})[\p{L}\p{M}]/u;

export const isOtherScript = (character: string): boolean => otherLetter.test(character);

/** The US key at the place of a character of another script; any other character unchanged. */
export const byPlace = (character: string): string =>
  isOtherScript(character) ? (places.get(character.toLowerCase()) ?? character) : character;
