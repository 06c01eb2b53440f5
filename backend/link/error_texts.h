// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::link {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // blob_client.cpp
    {"answer-to-what-was-not-asked", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "an answer arrived without a matching request"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},
    {"blob-transfer-without-answer", ErrorCode::unavailable, DIVISI_TEXT("errors", "no answer"),
     DIVISI_TEXT("errors", "try again; the data that has arrived is kept")},

    // blob_server.cpp
    {"blobs-not-parted", ErrorCode::unsupported, DIVISI_TEXT("errors", "this server cannot send a part of a blob"),
     DIVISI_TEXT("errors", "fetch the whole blob")},
    {"may-not-move-files", ErrorCode::denied, DIVISI_TEXT("errors", "%1 is not allowed to transfer files"),
     DIVISI_TEXT("errors", "ask for the role operate")},
    {"unknown-blob-verb", ErrorCode::unsupported, DIVISI_TEXT("errors", "unknown verb"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},

    // connection_file.cpp
    {"connection-file-is-folder", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is a folder, not a connection file"),
     DIVISI_TEXT("errors", "name the file connection.toml in this folder, which divisid wrote")},
    {"no-connection-file", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no connection file"),
     DIVISI_TEXT("errors", "use the file that divisid writes in its data folder when it starts")},
    {"not-a-connection-file", ErrorCode::invalid_input, DIVISI_TEXT("errors", "not a connection file"),
     DIVISI_TEXT("errors", "use the file that divisid wrote")},
    {"not-a-line-of-connection-file", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "not a line of a connection file"),
     DIVISI_TEXT("errors", "the file has the lines endpoint = '...' and server_key = '...'")},

    // control_client.cpp
    {"other-side-is-no-orchestrator", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the other side is not an orchestrator"),
     DIVISI_TEXT("errors", "use the connection file that divisid wrote")},
    {"connection-to-orchestrator-lost", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "the connection to the orchestrator was lost (%1)"),
     DIVISI_TEXT("errors", "try again when the orchestrator is back")},
    {"orchestrator-takes-no-more", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "the orchestrator accepts no more messages at the moment"),
     DIVISI_TEXT("errors", "trying again")},
    {"not-connected-to-orchestrator", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "not connected to the orchestrator"),
     DIVISI_TEXT("errors", "wait for the connection, then try again")},
    {"message-too-large", ErrorCode::exhausted, DIVISI_TEXT("errors", "%1 is larger than the limit for a message"),
     DIVISI_TEXT("errors", "send less at once; a model without its weights may have at most %2 MiB")},
    {"orchestrator-ended", ErrorCode::unavailable, DIVISI_TEXT("errors", "the orchestrator ended: %1"),
     DIVISI_TEXT("errors", "trying again until it is back")},
    {"orchestrator-fell-silent", ErrorCode::deadline, DIVISI_TEXT("errors", "the orchestrator stopped responding"),
     DIVISI_TEXT("errors", "trying again; check whether its process hangs")},
    {"no-answer-to-request", ErrorCode::deadline, DIVISI_TEXT("errors", "no answer to %1"),
     DIVISI_TEXT("errors", "check whether the orchestrator is running")},

    // control_server.cpp
    {"many-large-messages", ErrorCode::exhausted, DIVISI_TEXT("errors", "too many large messages arrive at once"),
     DIVISI_TEXT("errors", "try again in a moment")},
    {"connection-not-known", ErrorCode::denied, DIVISI_TEXT("errors", "this orchestrator does not know the connection"),
     DIVISI_TEXT("errors", "connect again")},
    {"connections-all-taken", ErrorCode::exhausted, DIVISI_TEXT("errors", "all %1 connections are in use"),
     DIVISI_TEXT("errors", "end some clients"), true},

    // data_port.cpp
    {"may-not-carry-data", ErrorCode::denied, DIVISI_TEXT("errors", "%1 is not allowed to send data"),
     DIVISI_TEXT("errors", "give its key the role agent")},
    {"gateway-refuses-frames", ErrorCode::unavailable, DIVISI_TEXT("errors", "the gateway refuses frames to %1: %2"),
     DIVISI_TEXT("errors", "'divisictl requests' shows what gateways decided")},
    {"stale-frames-dropped", ErrorCode::conflict, DIVISI_TEXT("errors", "frames of %1 are dropped: %2"),
     DIVISI_TEXT(
         "errors",
         "a few stale frames are normal after a change of plan or process; if they continue, check the process")},
    {"frames-misfit", ErrorCode::corrupt, "%1", DIVISI_TEXT("errors", "run the same Divisi version on all machines")},

    // data_port_demand.cpp
    {"demand-for-another", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "a demand is addressed to another instance, or has no sender"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},
    {"demand-checksum-wrong", ErrorCode::corrupt, DIVISI_TEXT("errors", "the payload checksum is wrong"),
     DIVISI_TEXT("errors", "the consumer asks again")},

    // dialer.cpp
    {"no-answer-in-time", ErrorCode::deadline, DIVISI_TEXT("errors", "no answer within %1 s"),
     DIVISI_TEXT("errors", "check that the other program is running and that its key is right"), true},

    // memory_transport.cpp
    {"connection-ended", ErrorCode::unavailable, DIVISI_TEXT("errors", "the connection ended"),
     DIVISI_TEXT("errors", "trying again")},
    {"endpoint-in-use", ErrorCode::conflict, DIVISI_TEXT("errors", "the endpoint is in use"),
     DIVISI_TEXT("errors", "choose another name")},

    // mesh_port.cpp
    {"foreign-frame", ErrorCode::corrupt, "%1"},

    // mesh_port_probe.cpp
    {"no-connection-to-neighbour", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "there is no connection to the neighbour"),
     DIVISI_TEXT("errors", "'divisictl routes' shows which links work")},

    // probe_series.cpp
    {"probe-ended-late", ErrorCode::deadline, DIVISI_TEXT("errors", "the probe did not end in time"),
     DIVISI_TEXT("errors", "check that the two ends of the probe reach each other")},
    {"probe-ended-late-with-trouble", ErrorCode::deadline, DIVISI_TEXT("errors", "the probe did not end in time: %1"),
     DIVISI_TEXT("errors", "check that the two ends of the probe reach each other")},

    // security.cpp
    {"key-file-readable", ErrorCode::denied, DIVISI_TEXT("errors", "other users can read the key file"),
     DIVISI_TEXT("errors", "run chmod 600 on the file, and replace the key")},
    {"not-a-key-pair", ErrorCode::corrupt, DIVISI_TEXT("errors", "not a key pair"),
     DIVISI_TEXT("errors", "remove the file; the next start makes a new key pair")},

    // sockets.cpp
    {"ipc-path-not-absolute", ErrorCode::invalid_input, DIVISI_TEXT("errors", "an ipc endpoint needs an absolute path"),
     DIVISI_TEXT("errors", "write ipc:///run/user/.../name.sock")},
    {"socket-path-too-long", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the socket's path has %1 characters, the system allows %2"),
     DIVISI_TEXT("errors", "use a shorter data folder or set XDG_RUNTIME_DIR"), true},
    {"not-an-endpoint", ErrorCode::invalid_input, DIVISI_TEXT("errors", "not an endpoint"),
     DIVISI_TEXT("errors", "write tcp://ADDRESS:PORT or ipc:///PATH")},
    {"ipv6-without-brackets", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "an IPv6 address before a port needs brackets"),
     DIVISI_TEXT("errors", "write tcp://[ADDRESS]:PORT")},
    {"not-a-port", ErrorCode::invalid_input, DIVISI_TEXT("errors", "'%1' is not a port"),
     DIVISI_TEXT("errors", "use 1 to 65535, or * for any")},
    {"socket-folder-cannot-be-made", ErrorCode::failed, DIVISI_TEXT("errors", "cannot make the folder: %1"),
     DIVISI_TEXT("errors", "check its parent's permissions and free space")},
    {"folder-of-other-user", ErrorCode::denied, DIVISI_TEXT("errors", "the folder belongs to another user"),
     DIVISI_TEXT("errors", "remove the folder, or use another folder")},
    {"folder-open-to-others", ErrorCode::denied, DIVISI_TEXT("errors", "other users can enter the folder"),
     DIVISI_TEXT("errors", "run chmod 700 on the folder")},

    // zmq_socket.cpp
    {"endpoint-needs-keys", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a tcp endpoint needs %1"),
     DIVISI_TEXT("errors", "give the keys, or use ipc on one host")},
    {"no-folder-for-socket", ErrorCode::not_found, DIVISI_TEXT("errors", "no such folder: %1"),
     DIVISI_TEXT("errors", "create it with mode 0700")},
    {"folder-not-private", ErrorCode::denied,
     DIVISI_TEXT("errors", "a socket needs a folder that you own, with mode 0700"),
     DIVISI_TEXT("errors", "run chmod 700 on the folder, or choose another data folder")},
    {"no-socket-in-the-way", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the path is taken by a file that is not a socket"),
     DIVISI_TEXT("errors", "remove the file, or choose another path")},
    {"socket-in-use", ErrorCode::conflict, DIVISI_TEXT("errors", "the socket is in use by a running process"),
     DIVISI_TEXT("errors", "end that process, or use another data folder (DIVISI_DATA)")},
    {"remote-listening-not-allowed", ErrorCode::denied,
     DIVISI_TEXT("errors", "listening beyond loopback is not allowed here"),
     DIVISI_TEXT("errors", "allow it in the cluster file")},
    {"no-address-of-machine", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "this machine does not have that address"),
     DIVISI_TEXT("errors", "use an address of this machine (`ip addr` lists them)")},
    {"port-in-use", ErrorCode::conflict, DIVISI_TEXT("errors", "port %1 is in use"),
     DIVISI_TEXT("errors", "end the process that listens there, or choose another port (0 lets the system choose)")},
    {"no-socket", ErrorCode::failed, DIVISI_TEXT("errors", "cannot create a socket: %1"),
     DIVISI_TEXT("errors", "raise the limit of open files")},
    {"socket-cannot-be-secured", ErrorCode::failed,
     DIVISI_TEXT("errors", "the socket's limits or security cannot be set: %1"),
     DIVISI_TEXT("errors", "install Debian's libzmq5")},
    {"cannot-listen", ErrorCode::failed, DIVISI_TEXT("errors", "cannot listen: %1"),
     DIVISI_TEXT("errors", "check the address")},
    {"cannot-connect", ErrorCode::failed, DIVISI_TEXT("errors", "cannot connect: %1"),
     DIVISI_TEXT("errors", "check the address")},
    {"socket-cannot-be-watched", ErrorCode::failed,
     DIVISI_TEXT("errors", "the socket's connections cannot be watched: %1"),
     DIVISI_TEXT("errors", "raise the limit of open files")},

    // zmq_transport.cpp
    {"key-refused", ErrorCode::denied, DIVISI_TEXT("errors", "the other side refuses this key"),
     DIVISI_TEXT("errors", "ask an admin to add the key with `divisictl keys add`")},
    {"handshake-failed", ErrorCode::unavailable, DIVISI_TEXT("errors", "the handshake failed"),
     DIVISI_TEXT("errors", "check that the server key and the endpoint belong together")},
    {"nobody-listens", ErrorCode::unavailable, DIVISI_TEXT("errors", "nobody listens"),
     DIVISI_TEXT("errors", "start the program that should listen there, or check the address")},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::link
