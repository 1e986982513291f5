(() => {
  "use strict";
  // The second lock, at the reader's side: an address is followed only in a file that can contain it.
  const TOLERANCE = 500; // ms past the end that are rounding, as in Timeline.instant
  const SAME_FILE = 1000; // ms by which two players may differ about one file's length
  const words = JSON.parse(document.getElementById("words").textContent);
  const status = document.getElementById("status");
  const player = document.getElementById("player");
  let stopAt = null;

  const say = (text, refused) => {
    status.textContent = text;
    status.classList.toggle("refused", refused);
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
    return "";
  };

  const show = (claim) => {
    document.querySelectorAll(".claim.current").forEach((other) => other.classList.remove("current"));
    claim.classList.add("current");
    claim.scrollIntoView({ block: "nearest" });
  };

  // Moves the player to a claim's instant; false where it may not move.
  const follow = async (claim) => {
    show(claim);
    stopAt = null;
    if (claim.dataset.ms === undefined) return say(fill(words.no_instant, { code: claim.id }), true), false;
    if (claim.dataset.linked === undefined) return say(fill(words.link_not_delivered, { code: claim.id }), true), false;
    if (!player) return say(words.no_media, true), false;
    const ms = Number(claim.dataset.ms);
    player.pause();
    await opened();
    const reason = refusal(ms);
    if (reason) return say(reason, true), false;
    player.currentTime = ms / 1000;
    say(fill(words.at, { code: claim.id, clock: clock(ms) }), false);
    return true;
  };

  const claimOf = (id) => {
    const found = document.getElementById(id);
    return found && found.classList.contains("claim") ? found : null;
  };
  const followAddress = () => {
    const claim = claimOf(decodeURIComponent(location.hash.slice(1)));
    if (claim) follow(claim);
  };
  const visit = (id) => {
    if (location.hash === `#${id}`) followAddress();
    else location.hash = id;
  };

  document.addEventListener("click", async (event) => {
    const target = event.target.closest("[data-seek],[data-play],[data-skip],[data-step]");
    if (!target) {
      const inner = event.target.closest("a[href^='#C-']");
      if (inner && inner.getAttribute("href") === location.hash) followAddress();
      return;
    }
    event.preventDefault();
    const { seek, play, skip, step } = target.dataset;
    if (seek) visit(seek);
    if (play && (await follow(claimOf(play)))) {
      stopAt = Number(claimOf(play).dataset.end) / 1000;
      player.play();
    }
    if (skip) player.currentTime += Number(skip);
    if (step) {
      player.pause();
      player.currentTime += (Number(step) * Number(player.dataset.frame)) / 1000;
    }
  });
  const find = document.getElementById("find");
  find.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = document.getElementById("code").value.trim();
    const digits = /^[cC]?[-\s]*0*(\d+)$/.exec(typed);
    const id = digits ? `C-${digits[1].padStart(4, "0")}` : typed;
    if (claimOf(id)) visit(id);
    else say(fill(words.unknown_code, { code: typed }), true);
  });
  if (player) {
    player.addEventListener("timeupdate", () => {
      if (stopAt !== null && player.currentTime >= stopAt) {
        player.pause();
        stopAt = null;
      }
    });
    document.querySelectorAll(".steps,.play").forEach((part) => (part.hidden = false));
  }
  find.hidden = false;
  window.addEventListener("hashchange", followAddress);
  followAddress();
})();
