// Only browsers without modules run this, and they cannot run the client.
document.addEventListener("DOMContentLoaded", function () {
	var fault = document.getElementById("fault");
	fault.textContent = "This browser is too old to play: it has no JavaScript modules. Update it, or use a current Firefox, Chrome, Edge or Safari.";
	fault.removeAttribute("hidden");
	document.getElementById("play").disabled = document.getElementById("watch").disabled = true;
});
