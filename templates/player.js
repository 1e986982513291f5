(() => {
  "use strict";
  // The second lock, at the reader's side: an address is followed only in a file that can contain it and that looks like the file it is of.
  const TOLERANCE = 500; // ms past the end that are rounding, as in Timeline.instant
  const SAME_FILE = 1000; // ms by which two players may differ about one file's length
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const words = JSON.parse(byId("words").textContent);
  const status = byId("status");
  const player = byId("player");
  const claims = all(".claim");
  let stopAt = null;

  const say = (text, refused) => {
    status.textContent = text;
    status.classList.toggle("refused", refused);
    return !refused;
  };
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const clock = (ms) => {
    const two = (n) => String(n).padStart(2, "0");
    const whole = Math.floor(ms / 1000);
    return `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}.${String(ms % 1000).padStart(3, "0")}`;
  };

  // Resolves when the file beside the page has told its length, or could not be opened.
  const opened = () =>
    new Promise((resolve) => {
      if (player.readyState >= HTMLMediaElement.HAVE_METADATA || player.error) return resolve();
      player.addEventListener("loadedmetadata", resolve, { once: true });
      player.addEventListener("error", resolve, { once: true });
      if (player.networkState === HTMLMediaElement.NETWORK_IDLE) player.load();
    });

  const refusal = (ms) => {
    if (player.readyState < HTMLMediaElement.HAVE_METADATA) return fill(words.missing, { file: player.dataset.file });
    const expected = Number(player.dataset.duration);
    const found = Math.round(player.duration * 1000);
    if (!(ms <= found + TOLERANCE)) return fill(words.too_short, { clock: clock(ms), found: clock(found) });
    if (!(Math.abs(found - expected) <= SAME_FILE)) return fill(words.other_file, { found: clock(found), expected: clock(expected) });
    const size = `${player.videoWidth} × ${player.videoHeight}`;
    const wanted = `${player.dataset.width} × ${player.dataset.height}`;
    return size === wanted ? "" : fill(words.other_picture, { found: size, expected: wanted });
  };

  // Moves the player; false where it may not move, and then it says why.
  const moveTo = async (ms, told) => {
    stopAt = null;
    if (!player) return say(words.no_media, true);
    player.pause();
    await opened();
    const reason = refusal(ms);
    if (reason) return say(reason, true);
    player.currentTime = ms / 1000;
    return say(told, false);
  };

  const show = (claim) => {
    all(".claim.current").forEach((other) => other.classList.remove("current"));
    claim.classList.add("current");
    if (claim.hidden) unfilter();
    claim.scrollIntoView({ block: "nearest" });
  };
  const follow = async (claim) => {
    show(claim);
    if (claim.dataset.ms === undefined) return say(fill(words.no_instant, { code: claim.id }), true);
    const ms = Number(claim.dataset.ms);
    return moveTo(ms, fill(words.at, { code: claim.id, clock: clock(ms) }));
  };
  const claimOf = (id) => claims.find((claim) => claim.id === id);
  const followAddress = () => {
    const claim = claimOf(location.hash.slice(1));
    if (claim) follow(claim);
  };
  const visit = (id) => {
    if (location.hash === `#${id}`) followAddress();
    else location.hash = id;
  };

  const play = async (claim) => {
    if (!(await follow(claim))) return;
    stopAt = Number(claim.dataset.end) / 1000;
    player.play();
  };
  const skip = (seconds) => {
    player.currentTime = Math.max(0, player.currentTime + seconds);
  };
  const step = (frames) => {
    player.pause();
    skip((frames * Number(player.dataset.frame)) / 1000);
  };
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-seek],[data-play],[data-skip],[data-step],[data-line],[data-at]");
    if (!target) {
      const inner = event.target.closest("a[href^='#C-']");
      if (inner && inner.getAttribute("href") === location.hash) followAddress();
      return;
    }
    event.preventDefault();
    const data = target.dataset;
    if (data.seek) visit(data.seek);
    if (data.play) play(claimOf(data.play));
    if (data.skip) skip(Number(data.skip));
    if (data.step) step(Number(data.step));
    if (data.line || data.at) {
      const ms = Number(data.at ?? byId(data.line).dataset.ms);
      moveTo(ms, fill(words.line, { clock: clock(ms) }));
    }
  });

  const find = byId("find");
  find.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = byId("code").value.trim();
    if (!typed) return;
    const digits = /^[cC]?[-\s]*0*(\d+)$/.exec(typed);
    const id = digits ? `C-${digits[1].padStart(4, "0")}` : typed;
    if (claimOf(id)) visit(id);
    else say(fill(words.unknown_code, { code: typed }), true);
  });
  find.hidden = false;

  // The claims by base, question and words; accents and case do not count.
  const filter = byId("filter");
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const texts = new Map();
  const refilter = () => {
    const bases = new Set(all("#filter [name=base]:checked").map((box) => box.value));
    const question = byId("filter-question")?.value;
    const wanted = plain(byId("filter-text").value).split(/\s+/).filter(Boolean);
    for (const claim of claims) {
      if (!texts.has(claim)) texts.set(claim, plain(`${claim.textContent} ${claim.closest(".question")?.querySelector("h3")?.textContent ?? ""}`));
      const asked = !question || claim.dataset.question === question;
      claim.hidden = !(asked && bases.has(claim.dataset.base) && wanted.every((word) => texts.get(claim).includes(word)));
    }
    for (const group of all(".question,#interpretations")) group.hidden = !group.querySelector(".claim:not([hidden])");
    const shown = claims.filter((claim) => !claim.hidden).length;
    byId("filter-shown").textContent = shown === claims.length ? "" : fill(words.shown, { n: shown, of: claims.length });
  };
  const unfilter = () => {
    filter.reset();
    refilter();
  };
  if (filter) {
    filter.hidden = false;
    filter.addEventListener("input", refilter);
    filter.addEventListener("submit", (event) => event.preventDefault());
  }

  window.addEventListener("hashchange", followAddress);
  if (player) attend();
  followAddress();

  // What goes along with the player: the transcript, the captions, the keys.
  function attend() {
    const list = document.querySelector(".lines");
    const lines = all(".line").map((line) => ({ line, start: Number(line.dataset.start), end: Number(line.dataset.end) }));
    const following = byId("follow");
    let latest = null;
    const sync = () => {
      const now = player.currentTime * 1000;
      let last = null;
      for (const { line, start, end } of lines) {
        const current = start <= now && now <= end;
        if (line.classList.contains("current") !== current) line.classList.toggle("current", current);
        if (current) last = line;
      }
      if (last && last !== latest && following.checked) list.scrollTop = last.offsetTop - list.clientHeight / 3;
      latest = last;
    };
    const toggleFollow = () => {
      following.checked = !following.checked;
      latest = null;
      sync();
    };
    player.addEventListener("timeupdate", () => {
      if (stopAt !== null && player.currentTime >= stopAt) {
        player.pause();
        stopAt = null;
      }
      if (lines.length) sync();
    });

    // A page opened from a file may load no caption file, so the cues are made of the transcript.
    const button = byId("captions");
    const spoken = lines.filter(({ line }) => line.classList.contains("fala"));
    const track = spoken.length ? player.addTextTrack("captions", button.dataset.label, spoken[0].line.querySelector(".said").lang) : null;
    for (const { line, start, end } of spoken) {
      const said = line.querySelector(".said").textContent;
      const escaped = said.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      track.addCue(new VTTCue(start / 1000, Math.max(end, start + 200) / 1000, escaped));
    }
    const captions = () => {
      track.mode = track.mode === "showing" ? "hidden" : "showing";
    };
    if (track) {
      button.addEventListener("click", captions);
      player.textTracks.addEventListener("change", () => button.setAttribute("aria-pressed", String(track.mode === "showing")));
    } else button.remove();

    const neighbour = (by) => {
      const shown = claims.filter((claim) => !claim.hidden);
      const at = shown.findIndex((claim) => claim.classList.contains("current"));
      const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
      if (next) visit(next.id);
    };
    const help = byId("keys");
    const keys = {
      k: () => (player.paused ? player.play() : player.pause()),
      arrowleft: () => skip(-5),
      arrowright: () => skip(5),
      ",": () => step(-1),
      ".": () => step(1),
      j: () => neighbour(-1),
      l: () => neighbour(1),
      c: () => byId("code").focus(),
      "/": () => filter && byId("filter-text").focus(),
      t: () => list && toggleFollow(),
      s: () => track && captions(),
      "?": () => (help.open = !help.open),
    };
    // In the capture phase and with the default prevented, so that the player's own keys do not move it a second time.
    window.addEventListener(
      "keydown",
      (event) => {
        const typing = event.target.closest?.("input:not([type=checkbox]),select,textarea");
        const action = keys[event.key.toLowerCase()];
        if (!action || typing || event.ctrlKey || event.altKey || event.metaKey || !byId("keys-on").checked) return;
        event.preventDefault();
        event.stopPropagation();
        stopAt = null;
        action();
      },
      { capture: true },
    );
    all(".steps,.play,#keys,.follow").forEach((part) => (part.hidden = false));
  }
})();
