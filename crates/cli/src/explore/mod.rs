//! `fairly explore`: a page in the browser, with the model, its answers, its runs and what to assume, live.
//!
//! The command serves one page on the loopback interface and answers its requests ([`wire::talk`]) with the session of the
//! library. It shares the machine with other users and the browser with other sites, so every request must know a random
//! token, come to the right host and from no other origin ([`serve`]); and only files inside the named folder are read or
//! written ([`folder`]). Each tab has its own session and worker ([`desk`]), so two tabs do not disturb each other.

mod desk;
mod folder;
mod http;
mod serve;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::arguments::ExploreArguments;
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::screen::{Screen, complain};
use desk::Desks;
use folder::Folder;
use serve::Server;

/// How often the command looks whether it was interrupted.
const PAUSE: Duration = Duration::from_millis(20);

/// Runs the command.
pub(crate) fn run(arguments: &ExploreArguments) -> Exit {
    limits::catch_interrupts();
    let folder = match Folder::open(arguments.place.as_deref().unwrap_or(Path::new("."))) {
        Ok(folder) => Arc::new(folder),
        Err(message) => {
            complain(&message);
            return Exit::BadInput;
        }
    };
    let asked = arguments.port.unwrap_or(0);
    let listener = match TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, asked)) {
        Ok(listener) => listener,
        Err(error) => {
            let help = if asked == 0 { "" } else { "; without --port a free one is taken" };
            complain(&format!("cannot listen on port {asked}: {error}{help}"));
            return Exit::BadInput;
        }
    };
    let Ok(port) = listener.local_addr().map(|address| address.port()) else {
        complain("the system does not say which port it has given");
        return Exit::BadInput;
    };
    let token = random_token();
    let limits = Limits::new(None, arguments.memory_limit);
    let desks = Desks::new(limits, limits::threads(arguments.threads), arguments.set.clone());
    let address = format!("http://127.0.0.1:{port}/?token={token}");
    let server = Arc::new(Server { folder, token, port, desks });
    std::thread::spawn(move || serve::accept(&listener, &server));
    if !Screen::new().show(&format!("{address}\nCtrl-C ends.\n")) {
        return Exit::Fine;
    }
    if !arguments.no_open {
        open_browser(&address);
    }
    while !limits::stopped() {
        std::thread::sleep(PAUSE);
    }
    Exit::Fine
}

/// 128 bits that nobody can guess: the keys of the standard library's hash come from the system.
fn random_token() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

/// Opens the browser. If that fails, the address is on the screen.
fn open_browser(address: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        std::thread::spawn(move || child.wait());
    }
}
