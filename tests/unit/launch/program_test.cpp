// SPDX-License-Identifier: Apache-2.0
#include "agents/launch/program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/base/version.h"
#include "backend/process/lifeline.h"
#include "tests/support/test_program.h"

namespace program_test {

using namespace divisi;

namespace {

/// The results of the calls of a program and its agent.
struct Script {
    link::SocketSecurity security;
    std::optional<Error> configure_error, agent_error, start_error, failure;
    int exit_status = 0;
    bool waits = false;  ///< the agent ends only at terminate()
    std::function<void()> at_start;
};

/// An agent that prints each of its calls.
class ScriptedAgent final : public launch::Agent {
public:
    ScriptedAgent(link::EventLoop& loop, const Script& script) : Agent(loop), script_(script) {}

    Result<void> start() override {
        std::cout << "start\n";
        if (script_.start_error) return *script_.start_error;
        if (script_.at_start) script_.at_start();
        if (script_.failure) set_failure(*script_.failure);
        if (!script_.waits) end(script_.exit_status);
        return {};
    }
    void terminate(const std::string& reason) override {
        std::cout << "terminate: " << reason << "\n";
        end(script_.exit_status);
    }
    void begin_figures() override { std::cout << "figures\n"; }
    metrics::Figures figures() override { return {}; }

private:
    const Script& script_;
};

/// A program that prints each of its calls.
class ScriptedProgram final : public launch::Program {
public:
    explicit ScriptedProgram(const Script& script) : script_(script) {}

    void add_options(CLI::App& app, launch::Options& options) override {
        app.add_option("--keys", options.keys, "key file of the agent");
        app.add_option("--metrics", options.metrics, "address of the figures");
    }
    Result<link::SocketSecurity> configure(const launch::Options& options) override {
        std::cout << "configure: connect=" << options.connect << " name=" << options.name << " keys=" << options.keys
                  << " metrics=" << options.metrics << "\n";
        if (script_.configure_error) return *script_.configure_error;
        return script_.security;
    }
    Result<std::unique_ptr<launch::Agent>> make_agent(link::EventLoop& loop, link::Context&) override {
        std::cout << "make_agent\n";
        if (script_.agent_error) return *script_.agent_error;
        return std::unique_ptr<launch::Agent>(std::make_unique<ScriptedAgent>(loop, script_));
    }

private:
    const Script& script_;
};

/// The exit status of a program, -1 after a signal, and the texts that it has printed.
struct Outcome {
    int status = -1;
    std::string out, err;
};

std::string text_of(std::FILE* file) {
    std::string text;
    std::rewind(file);
    for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file)) text += static_cast<char>(letter);
    std::fclose(file);
    return text;
}

/// Calls run() in the forked process, and ends that process.
[[noreturn]] void run_here(const launch::Texts& texts, const Script& script, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::alarm(60);  // the system ends a process that hangs
    int status = -1;
    try {
        ScriptedProgram program(script);
        status = launch::run(texts, program, static_cast<int>(arguments.size()), argv.data());
    } catch (...) {
        std::cerr << "an exception has left run()" << std::endl;
    }
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(status);
}

/// Runs a program in a process of its own, because run() blocks the signals that end a process.
Outcome run(const launch::Texts& texts, const Script& script, std::vector<std::string> arguments) {
    std::FILE *out = std::tmpfile(), *err = std::tmpfile();
    if (!out || !err) qFatal("no temporary file");
    std::fflush(nullptr);  // the other process must not print these texts again
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::fileno(out), STDOUT_FILENO);
        ::dup2(::fileno(err), STDERR_FILENO);
        run_here(texts, script, std::move(arguments));
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) qFatal("no process for the program");
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
}

launch::Texts texts() {
    launch::Texts texts;
    texts.program = "divisi-test";
    texts.help = "An agent that tests start";
    texts.name_help = "unique name, such as test-1";
    return texts;
}

Outcome run(const Script& script) { return run(texts(), script, {"--connect", "file", "--name", "test-1"}); }

const Error sample_error{ErrorCode::denied, "the folder belongs to another user", "/var/test", "give another one"};
const std::string sample_text = "error: /var/test: the folder belongs to another user; give another one\n";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Returns the help without its line breaks.
std::string help_of(const launch::Texts& texts) {
    return QString::fromStdString(run(texts, {}, {"--help"}).out).simplified().toStdString();
}

}  // namespace

/// Tests the start and the end of an agent's program.
class ProgramTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parts_are_called_in_order_with_the_options();
    void default_name_is_used_without_an_option();
    void help_names_options_and_key();
    void version_names_the_program();
    void wrong_arguments_end_the_program_data();
    void wrong_arguments_end_the_program();
    void error_before_the_start_ends_the_program();
    void failed_start_ends_the_program();
    void exit_status_is_that_of_the_agent();
    void failure_of_the_agent_is_printed();
    void public_key_is_printed_with_the_command_that_allows_it();
    void metrics_address_is_checked_before_the_start();
    void signal_terminates_the_agent_data();
    void signal_terminates_the_agent();
    void end_of_the_parent_terminates_the_agent();
};

void ProgramTest::parts_are_called_in_order_with_the_options() {
    const Outcome ended = run(texts(), {}, {"--connect", "file", "--name", "test-1", "--keys", "key"});
    QCOMPARE(ended.out, std::string("configure: connect=file name=test-1 keys=key metrics=\nmake_agent\nstart\n"));
    QCOMPARE(ended.err, std::string());
    QCOMPARE(ended.status, 0);
}

void ProgramTest::default_name_is_used_without_an_option() {
    launch::Texts named = texts();
    named.default_name = "test-7";
    QVERIFY(has(run(named, {}, {"--connect", "file"}).out, "configure: connect=file name=test-7 "));
    QVERIFY(has(run(named, {}, {"--connect", "file", "--name", "test-8"}).out, " name=test-8 "));
    QVERIFY(has(help_of(named), "test-7"));
}

void ProgramTest::help_names_options_and_key() {
    const std::string agent = help_of(texts());
    for (const char* part :
         {"An agent that tests start", "divisi-test", "--connect", "--name", "unique name, such as test-1",
          "key file of the agent", "On tcp the program prints its public key. Allow this key as an agent"})
        QVERIFY2(has(agent, part), part);
    QVERIFY(!has(agent, "configure:"));
    QCOMPARE(run(texts(), {}, {"--help"}).status, 0);
    launch::Texts module = texts();
    module.key_owner = "the module's";
    module.role = identity::Role::module;
    QVERIFY(has(help_of(module), "On tcp the program prints the module's public key. Allow this key as a module"));
}

void ProgramTest::version_names_the_program() {
    const Outcome ended = run(texts(), {}, {"--version"});
    QCOMPARE(ended.out, std::string("divisi-test ") + version + "\n");
    QCOMPARE(ended.status, 0);
}

void ProgramTest::wrong_arguments_end_the_program_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    QTest::newRow("no connection file") << QStringList{"--name", "test-1"} << "--connect";
    QTest::newRow("no name") << QStringList{"--connect", "file"} << "--name";
    QTest::newRow("no value") << QStringList{"--name", "test-1", "--connect"} << "--connect";
    QTest::newRow("unknown option") << QStringList{"--connect", "file", "--name", "test-1", "--nobody"} << "--nobody";
}

void ProgramTest::wrong_arguments_end_the_program() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    std::vector<std::string> given;
    for (const QString& argument : arguments) given.push_back(argument.toStdString());
    const Outcome ended = run(texts(), {}, given);
    QCOMPARE(ended.status, 2);
    QVERIFY2(has(ended.err, named.toStdString()), ended.err.c_str());
    QVERIFY(!has(ended.out, "configure:"));
}

void ProgramTest::error_before_the_start_ends_the_program() {
    Script script;
    script.agent_error = sample_error;
    const Outcome no_agent = run(script);
    QCOMPARE(no_agent.status, 2);
    QCOMPARE(no_agent.err, sample_text);
    QVERIFY(has(no_agent.out, "make_agent") && !has(no_agent.out, "start"));
    script.configure_error = sample_error;
    const Outcome not_configured = run(script);
    QCOMPARE(not_configured.status, 2);
    QCOMPARE(not_configured.err, sample_text);
    QVERIFY(!has(not_configured.out, "make_agent"));
}

void ProgramTest::failed_start_ends_the_program() {
    Script script;
    script.start_error = sample_error;
    script.exit_status = process::exit_dismissed;
    const Outcome ended = run(script);
    QCOMPARE(ended.status, 2);
    QCOMPARE(ended.err, sample_text);
}

void ProgramTest::exit_status_is_that_of_the_agent() {
    Script script;
    script.exit_status = process::exit_dismissed;
    const Outcome ended = run(script);
    QCOMPARE(ended.status, process::exit_dismissed);
    QCOMPARE(ended.err, std::string());
}

void ProgramTest::failure_of_the_agent_is_printed() {
    Script script;
    script.failure = sample_error;
    script.exit_status = process::exit_dismissed;
    const Outcome ended = run(script);
    QCOMPARE(ended.status, 2);
    QCOMPARE(ended.err, sample_text);
}

void ProgramTest::public_key_is_printed_with_the_command_that_allows_it() {
    Script script;
    script.security.keys = link::KeyPair{"the-public-key", "the-secret-key"};
    const Outcome agent = run(script);
    QVERIFY2(has(agent.err, "public key the-public-key\n"), agent.err.c_str());
    QVERIFY2(has(agent.err, "divisictl keys add 'the-public-key' --name test-1 --role agent --connect FILE"),
             agent.err.c_str());
    QVERIFY(!has(agent.err + agent.out, "the-secret-key"));
    launch::Texts module = texts();
    module.role = identity::Role::module;
    QVERIFY(has(run(module, script, {"--connect", "file", "--name", "m"}).err, "--name m --role module "));
}

void ProgramTest::metrics_address_is_checked_before_the_start() {
    const Outcome ended = run(texts(), {}, {"--connect", "file", "--name", "test-1", "--metrics", "192.0.2.1:9464"});
    QCOMPARE(ended.status, 2);
    QVERIFY2(has(ended.err, "'192.0.2.1:9464' is not a loopback address"), ended.err.c_str());
    QVERIFY(has(ended.out, " metrics=192.0.2.1:9464\nmake_agent\n"));
    QVERIFY(!has(ended.out, "start") && !has(ended.out, "figures"));
}

void ProgramTest::signal_terminates_the_agent_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<QString>("reason");
    QTest::newRow("SIGTERM") << SIGTERM << "terminated";
    QTest::newRow("SIGINT") << SIGINT << "interrupted";
    QTest::newRow("SIGHUP") << SIGHUP << "hung up";
}

void ProgramTest::signal_terminates_the_agent() {
    QFETCH(int, signal);
    QFETCH(QString, reason);
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
        QSKIP("the shell ignores this signal, and so does the program");
    Script script;
    script.waits = true;
    script.exit_status = process::exit_stopped;
    script.at_start = [signal] { ::kill(::getpid(), signal); };
    const Outcome ended = run(script);
    QVERIFY2(has(ended.out, "start\nterminate: " + reason.toStdString() + "\n"), ended.out.c_str());
    QCOMPARE(ended.status, process::exit_stopped);
}

void ProgramTest::end_of_the_parent_terminates_the_agent() {
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    ::close(ends[1]);  // as if the parent had ended
    ::setenv(process::lifeline_variable, std::to_string(ends[0]).c_str(), 1);
    Script script;
    script.waits = true;
    const Outcome ended = run(script);
    ::unsetenv(process::lifeline_variable);
    ::close(ends[0]);
    QVERIFY2(has(ended.out, "start\nterminate: the parent ended\n"), ended.out.c_str());
    QCOMPARE(ended.status, 0);
}

DIVISI_TEST(ProgramTest)

}  // namespace program_test

#include "program_test.moc"
